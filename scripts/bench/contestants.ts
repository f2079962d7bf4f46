import type { IDataObject } from 'n8n-workflow';
import type { FloorOrder } from './floor';
import type { RequestStep } from './workflows';

/** Where the data comes from, and with which rights. */
export interface Access {
	baseUrl: string;
	/** What a request needs that no credential signs. */
	headers: Record<string, string>;
	/** ID of the stored credential. */
	credential: string;
}

/** A step of n8n. */
export interface NodeContestant {
	label: string;
	/** Whether the step is given an item for each site, or all IDs in one parameter. */
	input: 'items' | 'list';
	step(access: Access, siteIds: readonly number[]): RequestStep;
}

/** A bare script. */
export interface FloorContestant {
	label: string;
	input: 'floor';
	client: FloorOrder['client'];
	concurrency: number;
}

export type Contestant = NodeContestant | FloorContestant;

const AQUACULTURE = { type: 'n8n-nodes-aquaculture.aquaculture', typeVersion: 1 };
const HTTP_REQUEST = { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.5 };
const INCLUDES = '$include=units,info';

const signedBy = ({ credential }: Access) => ({
	aquacultureApi: { id: credential, name: credential },
});

function getSite(
	label: string,
	options: IDataObject = {},
	siteId = '={{ $json.siteId }}',
): NodeContestant {
	return {
		label,
		input: 'items',
		step: (access) => ({
			...AQUACULTURE,
			parameters: { operation: 'getSite', siteId, options },
			credentials: signedBy(access),
		}),
	};
}

function getManySites(label: string, options: IDataObject = {}): NodeContestant {
	return {
		label,
		input: 'list',
		step: (access, siteIds) => ({
			...AQUACULTURE,
			parameters: { operation: 'getManySites', siteIds: siteIds.join(','), options },
			credentials: signedBy(access),
		}),
	};
}

function httpRequest(
	label: string,
	settings: Pick<RequestStep, 'retryOnFail'> = {},
): NodeContestant {
	return {
		label,
		input: 'items',
		step: (access) => ({
			...HTTP_REQUEST,
			...settings,
			parameters: {
				url: siteAddress(access),
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'aquacultureApi',
				options: {},
			},
			credentials: signedBy(access),
		}),
	};
}

const siteAddress = ({ baseUrl }: Access) =>
	`=${baseUrl}/meta/sites/{{ $json.siteId }}?${INCLUDES}`;

const floor = (
	client: FloorOrder['client'],
	concurrency: number,
	label: string,
): FloorContestant => ({
	label,
	input: 'floor',
	client,
	concurrency,
});

/** All that is measured, by the name by which scenarios and results call it. */
export const CONTESTANTS = {
	getSite: getSite('Get Site, an expression for each item'),
	getSiteComputed: getSite('Get Site, an expression that computes', {}, '={{ $json.siteId + 0 }}'),
	getManySites: getManySites('Get Many Sites'),
	getSite50: getSite('Get Site, 50 concurrent requests', { concurrentRequests: 50 }),
	getManySites50: getManySites('Get Many Sites, 50 concurrent requests', {
		concurrentRequests: 50,
	}),
	httpRequest: httpRequest('HTTP Request, same credential'),
	httpRequestToken: {
		label: 'HTTP Request, token in a header',
		input: 'items',
		step: (access) => ({
			...HTTP_REQUEST,
			parameters: {
				url: siteAddress(access),
				sendHeaders: true,
				headerParameters: {
					parameters: Object.entries(access.headers).map(([name, value]) => ({ name, value })),
				},
				options: {},
			},
		}),
	},
	httpRequestRetry: httpRequest('HTTP Request, Retry On Fail', { retryOnFail: true }),
	undici: floor('undici', 20, 'Bare script, undici'),
	axios: floor('axios', 20, 'Bare script, axios'),
	undici50: floor('undici', 50, 'Bare script, undici, 50 concurrent requests'),
	axios50: floor('axios', 50, 'Bare script, axios, 50 concurrent requests'),
} satisfies Record<string, Contestant>;

export type ContestantName = keyof typeof CONTESTANTS;
