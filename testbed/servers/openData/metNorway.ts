import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const HOUR = 3_600_000;
/** The sea that the ocean model covers, roughly: where it really ends is not documented in degrees. */
const MODEL = { south: 50, north: 75, west: -25, east: 35 };
/** Sandholmen settefisk of the emulated service, which is on land. */
const AWAY_FROM_THE_SEA = '61.9042 6.1893';

/** Which hours from now have other figures than the rest. */
interface Series {
	usual: Record<string, number>;
	hours: Record<number, Record<string, number>>;
	units: Record<string, string>;
}

const SEA: Series = {
	usual: {
		sea_surface_wave_from_direction: 240.8,
		sea_surface_wave_height: 0.6,
		sea_water_speed: 0.3,
		sea_water_temperature: 8.26,
		sea_water_to_direction: 328.7,
	},
	hours: {
		[-1]: { sea_surface_wave_height: 9, sea_water_temperature: 20 },
		10: { sea_surface_wave_height: 2.34 },
		30: { sea_surface_wave_height: 12 },
	},
	units: { sea_surface_wave_height: 'm', sea_water_temperature: 'celsius' },
};

const WEATHER: Series = {
	usual: { air_temperature: -0.44, wind_speed: 5.2, wind_from_direction: 210 },
	hours: { [-1]: { wind_speed: 40 }, 12: { wind_speed: 17.75 }, 30: { wind_speed: 50 } },
	units: { air_temperature: 'celsius', wind_speed: 'm/s' },
};

/** Answers as Oceanforecast 2.0 and Locationforecast 2.0 of MET Norway. */
export function answerForecasts(server: FastifyInstance): void {
	server.get('/weatherapi/oceanforecast/2.0/complete', (request, reply) => {
		const place = placeOf(request, reply);
		if (!place) return reply;
		const { latitude, longitude } = place;
		const isInside =
			latitude > MODEL.south &&
			latitude < MODEL.north &&
			longitude > MODEL.west &&
			longitude < MODEL.east;
		if (!isInside) return refuse(reply, 422);
		const isFar = `${latitude} ${longitude}` === AWAY_FROM_THE_SEA;
		return isFar
			? forecast(place, { error: 'no data at the given location', units: {} }, [])
			: forecast(place, { units: SEA.units }, stepsOf(SEA, 205));
	});
	server.get('/weatherapi/locationforecast/2.0/compact', (request, reply) => {
		const place = placeOf(request, reply);
		if (!place) return reply;
		return forecast(place, { units: WEATHER.units }, stepsOf(WEATHER, 58));
	});
}

/** The position that is asked for; undefined if the request has been refused. */
function placeOf({ query, headers }: FastifyRequest, reply: FastifyReply) {
	const { lat, lon } = query as Record<string, string | undefined>;
	if (!headers['user-agent']?.includes('@')) return void refuse(reply, 403);
	if (!lat || !lon) return void refuse(reply, 400);
	if (/\.\d{5}/.test(`${lat} ${lon}`)) return void refuse(reply, 403);
	return { latitude: Number(lat), longitude: Number(lon) };
}

/** MET Norway's failures are web pages. */
function refuse(reply: FastifyReply, status: number): FastifyReply {
	return reply.code(status).type('text/html').send(`<html><body>${status}</body></html>`);
}

/** An hour from the one before the current one to so many hours later. */
function stepsOf({ usual, hours }: Series, count: number): object[] {
	const first = Math.floor(Date.now() / HOUR) - 1;
	return Array.from({ length: count }, (_, index) => ({
		time: new Date((first + index) * HOUR).toISOString().replace('.000Z', 'Z'),
		data: { instant: { details: { ...usual, ...hours[index - 1] } } },
	}));
}

function forecast(
	{ latitude, longitude }: { latitude: number; longitude: number },
	meta: object,
	timeseries: object[],
): object {
	return {
		type: 'Feature',
		geometry: { type: 'Point', coordinates: [longitude, latitude] },
		properties: { meta: { updated_at: '2026-09-27T09:08:38Z', ...meta }, timeseries },
	};
}
