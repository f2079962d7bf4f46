import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/* How does a CSV file with sites look on a map? */

const LEAFLET = require.resolve('leaflet/dist/leaflet.js');
const STYLES = require.resolve('leaflet/dist/leaflet.css');
const TOPOJSON = require.resolve('topojson-client/dist/topojson-client.min.js');
/** Natural Earth's coasts, since tiles of a map service need the internet. */
const LAND = require.resolve('world-atlas/land-50m.json');

const read = (file: string) => readFileSync(file, 'utf8');

/** Renders a marker with its name for each row that has a position, as map services do after an import. */
export function mapPage(csv: Buffer): string {
	const rows = parse(csv, { bom: true, columns: true });
	return `<!doctype html><meta charset="utf-8"><style>${read(STYLES)}
		body { margin: 0; background: #cfe3ee } #map { height: 420px; background: none }
		.leaflet-tooltip { font: 13px Arial, Helvetica, sans-serif; color: #222; padding: 2px 6px }</style>
		<div id="map"></div>
		<script>${read(LEAFLET)}</script>
		<script>${read(TOPOJSON)}</script>
		<script>
			const land = ${read(LAND)};
			const map = L.map('map', { zoomControl: false, attributionControl: false, zoomSnap: 0 });
			const markers = ${JSON.stringify(rows)}
				.filter(({ latitude }) => latitude !== '')
				.map(({ latitude, longitude, siteName }) =>
					L.circleMarker([latitude, longitude], { radius: 7, color: '#fff', fillColor: '#d33', fillOpacity: 1 })
						.bindTooltip(siteName, { permanent: true, direction: 'right', offset: [10, 0] }));
			const all = L.featureGroup(markers);
			map.fitBounds(all.getBounds().pad(0.2));
			// Siberia ends beyond 180° E, and would be drawn across the map.
			L.geoJSON(topojson.feature(land, land.objects.land), {
				coordsToLatLng: ([east, north]) => [north, east < -168.5 ? east + 360 : east],
				style: { color: '#9aa88c', weight: 1, fillColor: '#f1f2e8', fillOpacity: 1 },
			}).addTo(map);
			all.addTo(map);
		</script>`;
}
