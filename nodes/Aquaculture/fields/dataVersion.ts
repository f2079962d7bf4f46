import { checkVersion } from '../../../service/requestValues';
import { OPTIONS } from '../../../texts/messages';
import { option } from './field';

/** Undefined if the credential's version is to be used. */
export const dataVersion = option<string | undefined>(
	{
		displayName: OPTIONS.dataVersion,
		name: 'dataVersion',
		type: 'string',
		default: '',
		placeholder: 'e.g. 2023-01-01',
		description:
			'The version of the interface to use instead of the one in the credential, as a date in the form YYYY-MM-DD',
	},
	(typed) => ((typed ?? '') === '' ? { value: undefined } : checkVersion(typed)),
);
