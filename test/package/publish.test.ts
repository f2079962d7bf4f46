import path from 'node:path';
import manifest from '../../package.json';
import { run } from '../../testbed/command';
import { useTemporaryFolder } from '../../testbed/jest/useTemporaryFolder';
import { OtherService } from '../../testbed/servers/otherService';
import { pack } from '../../testbed/tarball';

const ROOT = path.resolve(__dirname, '../..');

const temporaryFolder = useTemporaryFolder();
let registry: OtherService;

beforeEach(async () => {
	registry = await new OtherService().start();
});
afterEach(async () => await registry.stop());

/** Returns what npm has sent; to ask, it sends no body. */
const published = () => registry.asked.flatMap(({ body }) => body ?? []);

/** Publishes to the stub registry. */
async function publish(what: string, ...parameters: string[]): Promise<void> {
	const { address } = registry;
	const account = [`--registry=${address}`, `--${address.replace('http:', '')}/:_authToken=token`];
	await run('npm', ['publish', what, ...account, ...parameters], { cwd: ROOT, quiet: true });
}

it('npm refuses to publish the checkout', async () => {
	await expect(publish('.', '--provenance=false')).rejects.toThrow('npm error code EPRIVATE');
	expect(published()).toEqual([]);
});

it('npm publishes the tarball publicly, and requires provenance', async () => {
	const { file } = await pack(temporaryFolder());

	await expect(publish(file)).rejects.toThrow(/provenance/i);
	expect(published()).toEqual([]);
	await publish(file, '--provenance=false');
	expect(published()).toEqual([expect.objectContaining({ name: manifest.name, access: 'public' })]);
});
