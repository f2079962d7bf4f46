import { siteSchema } from '../../../api/site';

/** The shape of each operation's default output, by operation; the build turns them into the files that n8n reads. */
export const outputSchemas = { getSite: siteSchema };
