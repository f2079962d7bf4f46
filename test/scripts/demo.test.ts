import { x } from 'tinyexec';
import { SITES } from '../../emulator/sites';
import { copyCheckout } from '../../testbed/copyCheckout';
import { useTemporaryFolder } from '../../testbed/jest/useTemporaryFolder';

const temporaryFolder = useTemporaryFolder();

it('npm run demo builds the package and shows what people get', async () => {
	// Other tests use the build of the checkout.
	await copyCheckout(temporaryFolder());

	const { stdout, stderr, exitCode } = await x('npm', ['run', '--silent', 'demo'], {
		nodePath: false,
		nodeOptions: { cwd: temporaryFolder() },
	});

	const running = "• Running the built package in n8n's engine, against an emulated service\n";
	expect([stderr, exitCode]).toEqual([running, 0]);
	const [, table = '', site = '', change = ''] = stdout.split(
		/^Get Many Sites: .+\n|^Get Site: .+\n|^Aquaculture Trigger: .+\n/m,
	);
	const [heading, ...rows] = table.trim().split('\n');
	expect(heading).toMatch(/^siteId {2}siteName +license +maxTotalBiomass {2}numberOfUnits$/);
	expect(rows.slice(0, SITES.length).map((row) => row.split(/ {2,}/).slice(0, 2))).toEqual(
		SITES.map(({ siteId, siteName }) => [String(siteId), siteName]),
	);
	expect(table).toContain('\n1001    Storvågen                M-H-0101   3120             8\n');
	expect(site.match(/unitName: '[^']+'/g)).toEqual([
		"unitName: 'Nord'",
		"unitName: 'Midt'",
		"unitName: 'Sør'",
	]);
	expect(change).toContain("summary: 'Licence of Storvågen (1001): M-H-0101 → M-H-0202'");
	expect(change).toMatch(/\n\nTo see the same in n8n's editor, run: npm start\n$/);
	const shown = stdout.slice(stdout.indexOf('Get Many Sites')).split('\n');
	expect(shown.filter((line) => line.length > 80)).toEqual([]);
});
