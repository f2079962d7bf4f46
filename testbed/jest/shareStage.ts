import { useCleanup } from './useCleanup';

/** The former names of `useCleanup` and `use`, for test/n8n/examples.test.ts only. */
export function shareStage() {
	const cleanup = useCleanup();
	return Object.assign(cleanup, { keep: cleanup.use.bind(cleanup) as typeof cleanup.use });
}
