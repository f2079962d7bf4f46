import removeAccents from 'remove-accents';
import { nameKey } from '../../../account/knownSites';

/** What a name is searched by: as {@link nameKey}, and without accents, so that `storvag` finds Storvågen. */
export function searchKey(text: string): string {
	return removeAccents(nameKey(text));
}
