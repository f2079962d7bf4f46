import * as z from 'zod/v4-mini';
import { siteSchema, unitSchema } from '../../../api/site';

/** The shape of each operation's default output, by operation; the build turns them into the files that n8n reads. */
export const outputSchemas = {
	getManySites: siteSchema,
	getSite: siteSchema,
	getUnits: z.object({
		siteId: siteSchema.shape.siteId,
		siteName: siteSchema.shape.siteName,
		...unitSchema.shape,
	}),
};
