import path from 'node:path';

/** Where n8n's tools are installed, apart from the other dependencies, with which they do not go. */
export const TOOLS = path.resolve(__dirname, '../../tools/node_modules');
