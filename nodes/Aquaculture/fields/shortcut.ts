import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

/**
 * The field of the item that an expression names, where it does nothing else: `{{ $json.siteId }}`. Evaluating even that
 * takes n8n more than half the time of a request (n8n 2.40), so the field is read directly.
 */
export function namedField(raw: unknown): string | undefined {
	return typeof raw === 'string'
		? /^=\{\{ *\$json\.([A-Za-z_]\w*) *\}\}$/.exec(raw)?.[1]
		: undefined;
}

/** The value of a field that {@link namedField} has found, as the expression would give it. */
export function fieldOf(item: INodeExecutionData | undefined, name: string): unknown {
	// Nodes may put out items without JSON, which n8n hands on (n8n 2.40).
	const json: IDataObject = item?.json ?? {};
	return Object.hasOwn(json, name) ? json[name] : undefined;
}
