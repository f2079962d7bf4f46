import type { FastifyInstance } from 'fastify';

export const LICE_ACCOUNT = {
	clientId: 'me@example.com:client',
	clientSecret: 'a secret of tests',
};

const TOKEN = 'token-of-lice';

/** Answers as the API Fish Health of BarentsWatch, and as the service that issues tokens. */
export function answerFishHealth(server: FastifyInstance): void {
	server.post('/connect/token', (request, reply) => {
		const { grant_type, client_id, client_secret, scope } = (request.body ?? {}) as Partial<
			Record<string, string>
		>;
		const isKnown =
			client_id === LICE_ACCOUNT.clientId && client_secret === LICE_ACCOUNT.clientSecret;
		const isRight = grant_type === 'client_credentials' && scope === 'api';
		if (!isKnown || !isRight) return reply.code(400).send({ error: 'invalid_client' });
		return { access_token: TOKEN, expires_in: 3600, token_type: 'Bearer', scope: 'api' };
	});
	server.post('/bwapi/v2/geodata/fishhealth/locality/:year/:week', (request, reply) => {
		if (request.headers.authorization !== `Bearer ${TOKEN}`) return reply.code(401).send();
		return [
			week(90001, 'Storvågen', {
				...{ hasReported: true, isFallow: false, seaTemperature: 11.4 },
				adultFemaleLice: { average: 0.42, averageOfPreviousWeek: 0.31, trend: 'Increasing' },
			}),
			week(90002, 'Kråkøya', {
				...{ hasReported: false, isFallow: true, seaTemperature: null },
				adultFemaleLice: { average: null, averageOfPreviousWeek: null, trend: null },
			}),
			week(90003, 'Ærfuglsundet', {
				...{ hasReported: false, isFallow: false, seaTemperature: null },
				adultFemaleLice: { average: null, averageOfPreviousWeek: null, trend: null },
			}),
			week(90009, 'Fjernstad', {
				...{ hasReported: true, isFallow: false, seaTemperature: 9.1 },
				adultFemaleLice: { average: 0.05, averageOfPreviousWeek: 0.05, trend: 'Stable' },
			}),
		];
	});
}

function week(no: number, name: string, liceReport: object): object {
	return {
		localityWeekId: 9_000_000 + no,
		locality: { no, name, isOnLand: false },
		geometry: { type: 'Point', coordinates: [12.345678, 65.432109] },
		municipality: { no: '9901', name: 'Fiktivdal' },
		...{ hasSalmonoidLicense: true, isSlaughterHoldingCage: false, diseases: [] },
		liceReport,
		liceTreatments: [],
	};
}
