import { config } from 'zod/v4-mini';

// Otherwise zod writes functions as text and has them compiled, which a node has no business doing; it was no faster.
config({ jitless: true });

export * from 'zod/v4-mini';
