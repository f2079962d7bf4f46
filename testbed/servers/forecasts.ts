import { OtherService } from './otherService';

const TEN_HOURS_MS = 10 * 3_600_000;

/** Starts a stub of MET Norway's service, with a forecast for now and for ten hours later. */
export async function startForecasts(): Promise<OtherService> {
	return await new OtherService(({ url }) => {
		const details = url.includes('ocean')
			? [
					{ sea_water_temperature: 8.26, sea_surface_wave_height: 0.6 },
					{ sea_surface_wave_height: 2.34 },
				]
			: [{ air_temperature: -0.44, wind_speed: 5.2 }, { wind_speed: 17.75 }];
		const timeseries = details.map((each, index) => ({
			time: new Date(Date.now() + index * TEN_HOURS_MS).toISOString(),
			data: { instant: { details: each } },
		}));
		return { properties: { meta: {}, timeseries } };
	}).start();
}
