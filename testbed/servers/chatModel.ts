import { OtherService } from './otherService';

/** A tool as a model is told of it. */
interface ToolSchema {
	name: string;
	description: string;
	parameters: { properties: object; required?: string[] };
}

/** What of a request to `/v1/chat/completions` the model looks at. */
interface ChatRequest {
	messages: Array<{ role: string; content: string }>;
	tools?: Array<{ function: ToolSchema }>;
}

/**
 * A chat model that speaks as OpenAI's chat completions do. It calls the tool that a test has chosen, once, and then says
 * what the tool has answered.
 */
export class ChatModel extends OtherService {
	/** The tools that the last request told of. */
	tools: ToolSchema[] = [];

	/** Which tool it calls, and what it fills in. */
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

	/** What belongs into the credential for it. */
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
