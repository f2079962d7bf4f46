// n8n-core reads both when it loads. It is installed without its native expression engine, and its log would clutter the output.
process.env.N8N_EXPRESSION_ENGINE = 'legacy';
process.env.N8N_LOG_LEVEL = 'silent';
