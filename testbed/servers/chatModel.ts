import { OtherService } from './otherService';

interface ToolSchema {
	name: string;
	description: string;
	parameters: { properties: object; required?: string[] };
}

/** The fields that the stub reads of a request to `/v1/chat/completions`. */
interface ChatRequest {
	messages: Array<{ role: string; content: string }>;
	tools?: Array<{ function: ToolSchema }>;
}

/**
 * Stubs OpenAI's chat completions: calls the tool that the test chose, once, and then repeats the tool's answer.
 */
export class ChatModel extends OtherService {
	/** The tools in the last request. */
	tools: ToolSchema[] = [];

	/** The tool to call. */
	use: { name: string; parameters: object } = { name: '', parameters: {} };

	constructor() {
		super(({ body }) => ({
			id: 'completion',
			object: 'chat.completion',
			created: 0,
			model: 'scripted',
			choices: [{ index: 0, ...this.next(body as ChatRequest) }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		}));
	}

	get credential(): { apiKey: string; url: string } {
		return { apiKey: 'none', url: `${this.address}/v1` };
	}

	private next({ messages, tools = [] }: ChatRequest): object {
		this.tools = tools.map((tool) => tool.function);
		const last = messages.at(-1);
		if (last?.role === 'tool') {
			return { finish_reason: 'stop', message: { role: 'assistant', content: last.content } };
		}
		const { name, parameters } = this.use;
		const call = { name, arguments: JSON.stringify(parameters) };
		const calls = [{ id: 'call', type: 'function', function: call }];
		return {
			finish_reason: 'tool_calls',
			message: { role: 'assistant', content: null, tool_calls: calls },
		};
	}
}
