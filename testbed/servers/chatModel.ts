import Fastify, { type FastifyInstance } from 'fastify';

/** A tool as a model is told of it. */
export interface ToolSchema {
	name: string;
	description: string;
	parameters: {
		type: string;
		properties: Record<string, { type?: string; description?: string }>;
		required?: string[];
	};
}

interface Message {
	role: 'system' | 'user' | 'assistant' | 'tool';
	content: string;
}

/** What of a request to `/v1/chat/completions` the model looks at. */
interface ChatRequest {
	messages: Message[];
	tools?: Array<{ function: ToolSchema }>;
}

/** How the model uses a tool: which one, what it fills in, and what it makes of the tool's answer. */
export interface ToolUse {
	tool: string;
	parameters: Record<string, unknown>;
	answer(toolAnswer: unknown): string;
}

/** One of the model's two moves. */
type Move =
	| { finish_reason: 'stop'; message: { role: 'assistant'; content: string } }
	| {
			finish_reason: 'tool_calls';
			message: {
				role: 'assistant';
				content: null;
				tool_calls: Array<{
					id: string;
					type: 'function';
					function: { name: string; arguments: string };
				}>;
			};
	  };

/**
 * A chat model on loopback that speaks as OpenAI's chat completions do. It does what a test has told it: it calls a tool
 * once, and answers with what it makes of the tool's answer.
 */
export class ChatModel {
	/** The tools that the last request told of. */
	tools: ToolSchema[] = [];

	/** The last answer of a tool, as it came. */
	toolAnswer = '';

	private use: ToolUse | undefined;

	private readonly server: FastifyInstance = Fastify({ bodyLimit: 16 * 1024 * 1024 });

	private address = '';

	private constructor() {
		this.server.post('/v1/chat/completions', ({ body }) => ({
			id: 'completion',
			object: 'chat.completion',
			created: 0,
			model: 'scripted',
			choices: [{ index: 0, ...this.next(body as ChatRequest) }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		}));
	}

	static async start(): Promise<ChatModel> {
		const model = new ChatModel();
		model.address = await model.server.listen({ host: '127.0.0.1', port: 0 });
		return model;
	}

	/** What belongs into the credential for it. */
	get credential(): { apiKey: string; url: string } {
		return { apiKey: 'none', url: `${this.address}/v1` };
	}

	/** Tells what to do with the questions that follow. */
	willUse(use: ToolUse): void {
		this.use = use;
		this.toolAnswer = '';
	}

	async stop(): Promise<void> {
		await this.server.close();
	}

	private next({ messages, tools = [] }: ChatRequest): Move {
		const last = messages.at(-1);
		this.tools = tools.map((tool) => tool.function);
		if (!this.use) return say('No test has told what to do');
		const { tool: name, parameters, answer } = this.use;
		if (last?.role === 'tool') {
			this.toolAnswer = last.content;
			return say(answer(JSON.parse(last.content)));
		}
		return {
			finish_reason: 'tool_calls',
			message: {
				role: 'assistant',
				content: null,
				tool_calls: [
					{
						id: 'call',
						type: 'function',
						function: { name, arguments: JSON.stringify(parameters) },
					},
				],
			},
		};
	}
}

function say(content: string): Move {
	return { finish_reason: 'stop', message: { role: 'assistant', content } };
}
