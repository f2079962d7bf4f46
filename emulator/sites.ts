import type { Site, SiteInfo, Unit } from '../nodes/Aquaculture/service/site';

export type StoredSite = Site & { siteId: number };

/** Makes a row of pens about 60 metres apart. */
function pens(firstId: number, names: readonly string[], info: SiteInfo): Unit[] {
	return names.map((unitName, index) => ({
		unitId: firstId + index,
		unitName,
		longitude: Number(((info.longitude ?? 0) + index * 0.0009).toFixed(6)),
		latitude: Number(((info.latitude ?? 0) + index * 0.0002).toFixed(6)),
	}));
}

/** Invented sites in plausible places: ID, name, longitude and latitude, the rest of `info`, units. */
const TABLE = `
1001 | Storvågen               | 8.4127, 63.5218    | Sea  | STO | M-H-0101  | 3120 | Europe/Oslo        | Merd × 8
1002 | Kråkøya                 | 11.0834, 64.6941   | Sea  | KRA | T-N-0102  | 2340 | Europe/Oslo        | Merd × 6
1003 | Ærfuglsundet            | 13.2206, 66.1075   | Sea  | AER | N-A-0103  | 3900 | Europe/Oslo        | Merd × 10
1004 | Lille Grønnvik          | 15.6412, 68.2283   | Sea  | LGV | N-V-0104  | 1560 | Europe/Oslo        | Nord, Midt, Sør
1005 | Sandholmen settefisk    | 6.1893, 61.9042    | Land | SAN | V-S-0105  | 240  | Europe/Oslo        | Kar × 12
1006 | Bjørnneset              | 22.9157, 70.4436   | Sea  | BJO | F-A-0106  | 3600 | Europe/Oslo        | Merd × 9
1007 | Isla Escondida          | -73.4821, -43.1175 | Sea  | ESC | RNA-10207 | 4200 | America/Santiago   | Jaula × 14
1008 | Bahía Señuelo           | -72.9436, -44.8217 | Sea  | SEN | RNA-10208 | 3300 | America/Santiago   | Jaula × 10
1009 | Puerto Ñandú            | -73.7712, -45.3608 | Sea  | NAN | RNA-10209 | 2800 | America/Santiago   | Jaula × 8
1010 | Piscicultura Río Alerce | -72.6109, -40.7394 | Land | ALE | RNA-10210 | 180  | America/Santiago   | Estanque × 16
1011 | 青葉湾                  | 141.5233, 38.6127  | Sea  | AOB | JP-0411   | 640  | Asia/Tokyo         | 一号, 二号, 三号, 四号
1012 | 白波養殖場              | 132.4471, 33.0318  | Sea  | SHI | JP-0412   | 820  | Asia/Tokyo         | 東生簀, 西生簀
1013 | さくら浦                | 129.8164, 32.7945  | Sea  | SAK | JP-0413   | 510  | Asia/Tokyo         | 生簀A, 生簀B, 生簀C
1014 | Loch Fernach            | -5.6318, 56.9027   | Sea  | FER | SC-0514   | 2100 | Europe/London      | Pen × 10
1015 | Skerry Sound            | -1.3942, 60.3126   | Sea  | SKE | SC-0515   | 2500 | Europe/London      | Pen × 12
1016 | Hvalnes                 | -14.1257, 64.7413  | Sea  | HVA | IS-0616   | 3000 | Atlantic/Reykjavik | Kví × 8
1017 | Gráflógvur              | -6.8731, 62.1084   | Sea  | GRA | FO-0717   | 2700 | Atlantic/Faroe     | Ringur × 9
1018 | Cormorant Cove          | -125.4416, 49.1683 | Sea  | COR | BC-0818   | 2200 | America/Vancouver  | Pen × 10
1019 | Wattle Bay              | 147.2938, -43.2451 | Sea  | WAT | TAS-0919  | 1900 | Australia/Hobart   | Pen × 12
1020 | Nyvika (planlagt)       | 9.7415, 63.8832    | Sea  | NYV | T-T-0120  | 780  | Europe/Oslo        |
`;

function fromRow(row: string): StoredSite {
	const cells = row.split('|').map((cell) => cell.trim());
	const [siteId, siteName = '', position = '', type = '', code = '', license = ''] = cells;
	const [biomass, timezone = '', units = ''] = cells.slice(6);
	const [longitude = 0, latitude = 0] = position.split(',').map(Number);
	const maxTotalBiomass = Number(biomass);
	const info = { longitude, latitude, type, code, license, maxTotalBiomass, timezone };
	return {
		siteId: Number(siteId),
		siteName,
		info,
		units: pens(Number(siteId) * 10, unitNamesFrom(units), info),
	};
}

/** Reads a list such as "Nord, Sør", or "Merd × 2" for "Merd 1" and "Merd 2". */
function unitNamesFrom(units: string): string[] {
	const [, prefix, count] = /^(.+) × (\d+)$/.exec(units) ?? [];
	if (prefix === undefined) return units.split(', ').filter(Boolean);
	return Array.from({ length: Number(count) }, (_, index) => `${prefix} ${index + 1}`);
}

/** The default sites, among them odd ones that a client must be able to read. */
export const SITES: readonly StoredSite[] = [
	...TABLE.trim().split('\n').map(fromRow),
	// Missing and null fields
	{
		siteId: 1021,
		siteName: 'Gamle Brygga',
		info: { longitude: 5.2204, latitude: 60.3871, type: null, license: null },
		units: [{ unitId: 10210, unitName: null }, { unitName: 'Merd uten nummer' }],
	},
	// Undocumented fields
	{
		...fromRow(
			'1022 | Estero Claro | -73.2018, -42.6644 | Sea | CLA | RNA-10222 | 2600 | America/Santiago | Jaula × 4',
		),
		species: ['Salmo salar'],
		certification: { scheme: 'example', validUntil: '2027-06-30' },
	},
	fromRow(
		'1023 | Cañal "Ø" & søn, <test> | -73.9107, -44.0126 | Sea | CNO | RNA-10223 | 900 | America/Santiago | Jaula × 3',
	),
	fromRow(
		'7 | Prøvelokalitet | 10.3921, 63.4418 | Research | PRV | T-T-0007 | 60 | Europe/Oslo | Kar × 2',
	),
];

/** Formats sites for the field 'Known Sites' of the credential, one per line. */
export function knownSitesOf(sites: readonly StoredSite[]): string {
	return sites.map(({ siteId, siteName }) => `${siteId} ${siteName ?? ''}`.trim()).join('\n');
}

/** Makes sites of ten pens with the IDs 5001, 5002 and so on, for tests with more sites than {@link SITES}. */
export function makeSites(count: number): StoredSite[] {
	return Array.from({ length: count }, (_, index) => makeSite(5001 + index));
}

function makeSite(siteId: number): StoredSite {
	const position = `${5 + (siteId % 1000) / 100}, ${60 + (siteId % 997) / 100}`;
	const licence = `L${siteId} | M-H-${siteId} | ${780 * (1 + (siteId % 6))}`;
	return fromRow(
		`${siteId} | Lokalitet ${siteId} | ${position} | Sea | ${licence} | Europe/Oslo | Merd × 10`,
	);
}
