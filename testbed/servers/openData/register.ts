import type { FastifyInstance } from 'fastify';

/** Sites of the register by their licence. The second of the first licence is a kilometre from Storvågen. */
const SITES: Record<string, object[]> = {
	'M-H-0101': [
		registered(90003, 'FJERNSTAD', [63.9, 8.9], 780),
		registered(90001, 'STORVÅGEN', [63.5308, 8.4127], 3120),
	],
	'T-N-0102': [registered(90002, 'KRÅKØYA', [64.6941, 11.0834], 2340)],
};

const LARGEST_RANGE = 100;

/** Answers as the aquaculture register of Fiskeridirektoratet. */
export function answerRegister(server: FastifyInstance): void {
	server.get('/pub-aqua/api/v1/sites', (request, reply) => {
		const { 'license-nr': license, range = '' } = request.query as Record<string, string>;
		const [from = 0, to = 0] = range.split('-').map(Number);
		if (to - from >= LARGEST_RANGE) {
			const error = `The range specification is out of bounds. Limit is set to: ${LARGEST_RANGE}.`;
			return reply.code(400).send({ errors: [error] });
		}
		const all = Object.values(SITES).flat();
		const found = license ? (SITES[license] ?? []) : all;
		return found.slice(from, to + 1);
	});
}

function registered(
	siteNr: number,
	name: string,
	[latitude, longitude]: [number, number],
	capacity: number,
): object {
	return {
		...{ siteNr, name, placementType: 'Offshore', waterType: 'Salt', latitude, longitude },
		...{ capacity, tempCapacity: capacity, capacityUnitType: 'TN', speciesTypes: ['SALMON'] },
		// The register has no production area for many sites.
		placement:
			siteNr === 90002
				? { municipalityCode: '9902', municipalityName: 'FIKTIVDAL' }
				: {
						...{ municipalityCode: '9901', municipalityName: 'FIKTIVDAL' },
						...{ prodAreaCode: '6', prodAreaName: 'Fiktivområdet', prodAreaStatus: 'GRØNN' },
					},
	};
}
