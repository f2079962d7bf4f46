import type { IDataObject } from 'n8n-workflow';
import { readSite } from '../transport/sites';
import { includeFields, readIncludes } from './fields/includes';
import { optionsField, readOptions } from './fields/options';
import { readSiteId, siteIdField } from './fields/siteId';
import type { Operation } from './operation';

/** Reads the site of each item: one item in, one item out. */
export const getSite: Operation = {
	option: {
		name: 'Get Site',
		action: 'Get site',
		description: 'Read one site: its name and, if you like, its info and its units',
	},
	fields: [siteIdField, ...includeFields, optionsField],

	prepare(context, itemIndex) {
		const options = readOptions(context, itemIndex);
		const request = {
			siteId: readSiteId(context, itemIndex),
			includes: readIncludes(context, itemIndex, options.additionalIncludes),
			dataVersion: options.dataVersion,
			timeoutMs: options.timeoutMs,
		};

		return async (transport) => {
			const { answer, failure } = await readSite(transport, request);
			if (failure) return { failure };

			const site = answer.json as IDataObject;
			if (!options.includeResponseDetails) return { answer: site };
			return {
				answer: { statusCode: answer.statusCode, headers: answer.headers, body: site },
			};
		};
	},
};
