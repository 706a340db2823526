/**
 * Calls of the clients that instrumentations tell of, for `npm run soak -- instrumentations`, which copies this file beside the packages
 * of one instrumentation. Each reads its answer to the end.
 */

/** @typedef {Readonly<Record<string, (text: string) => Promise<unknown>>>} Calls */

const { PROVIDER_URL = '', GATEWAY_KEY, RUN = '' } = process.env;
const passes = GATEWAY_KEY !== undefined;
const apiKey = 'sk-of-the-provider';
const headers = passes ? { 'svc-auth': `Bearer ${GATEWAY_KEY}`, 'svc-property-run': RUN } : {};
const openAiUrl = `${PROVIDER_URL}/v1`;
const anthropicUrl = passes ? `${PROVIDER_URL}/anthropic` : PROVIDER_URL;

const system = 'Be short.';
const openAiModel = 'gpt-5-mini';
const anthropicModel = 'claude-sonnet-4-5';

/** @param {string} text */
const chatMessages = (text) => [
  { role: 'system', content: system },
  { role: 'user', content: text },
];

/** @param {string} text */
const chat = (text) => ({ model: openAiModel, messages: chatMessages(text) });

/** @param {string} text */
const response = (text) => ({ model: openAiModel, instructions: system, input: text });

/** @param {string} text */
const message = (text) => ({ model: anthropicModel, max_tokens: 1024, system, messages: [{ role: 'user', content: text }] });

/** @param {AsyncIterable<unknown>} stream */
async function drain(stream) {
  for await (const part of stream) void part;
}

/**
 * The packages lie beside a copy of this file, not in the project.
 * @param {string} name
 * @returns {Promise<any>}
 */
export const load = (name) => import(name);

/** @param {any} OpenAI the class */
export const openAiClient = (OpenAI) => new OpenAI({ baseURL: openAiUrl, apiKey, defaultHeaders: headers, maxRetries: 0 });

/** @param {any} Anthropic the class */
export const anthropicClient = (Anthropic) => new Anthropic({ baseURL: anthropicUrl, apiKey, defaultHeaders: headers, maxRetries: 0 });

/**
 * @param {any} client
 * @returns {Calls}
 */
export function openAiCalls(client) {
  return {
    chat: (text) => client.chat.completions.create(chat(text)),
    'chat, streamed': async (text) =>
      drain(await client.chat.completions.create({ ...chat(text), stream: true, stream_options: { include_usage: true } })),
    responses: (text) => client.responses.create(response(text)),
    'responses, streamed': async (text) => drain(await client.responses.create({ ...response(text), stream: true })),
  };
}

/**
 * @param {any} client
 * @returns {Calls}
 */
export function anthropicCalls(client) {
  return {
    messages: (text) => client.messages.create(message(text)),
    'messages, streamed': async (text) => drain(await client.messages.create({ ...message(text), stream: true })),
    'messages, by the helper': (text) => client.messages.stream(message(text)).finalMessage(),
  };
}

/** Models of the AI SDK's providers. */
export async function aiModels() {
  const { createOpenAI } = await load('@ai-sdk/openai');
  const openai = createOpenAI({ baseURL: openAiUrl, apiKey, headers });
  const { createAnthropic } = await load('@ai-sdk/anthropic');
  const anthropic = createAnthropic({ baseURL: `${anthropicUrl}/v1`, apiKey, headers });
  return { chat: openai.chat(openAiModel), responses: openai.responses(openAiModel), messages: anthropic(anthropicModel) };
}

/**
 * @param {Record<string, unknown>} telemetry options of each call
 * @returns {Promise<Calls>}
 */
export async function aiSdkCalls(telemetry) {
  const { generateText, streamText } = await load('ai');
  const models = await aiModels();
  return Object.fromEntries(
    Object.entries(models).flatMap(([name, model]) => {
      /** @param {string} text */
      const options = (text) => ({ model, prompt: text, maxRetries: 0, ...telemetry });
      return [
        [name, (/** @type {string} */ text) => generateText(options(text))],
        [`${name}, streamed`, async (/** @type {string} */ text) => drain(streamText(options(text)).textStream)],
      ];
    }),
  );
}

/** @returns {Promise<Calls>} */
export async function langChainCalls() {
  const { ChatOpenAI } = await load('@langchain/openai');
  const { HumanMessage, SystemMessage } = await load('@langchain/core/messages');
  const shared = { model: openAiModel, apiKey, maxRetries: 0, configuration: { baseURL: openAiUrl, defaultHeaders: headers } };
  /** @param {string} text */
  const asked = (text) => [new SystemMessage(system), new HumanMessage(text)];
  const [completions, responses] = [false, true].map((useResponsesApi) => new ChatOpenAI({ ...shared, useResponsesApi }));
  return {
    chat: (text) => completions.invoke(asked(text)),
    'chat, streamed': async (text) => drain(await completions.stream(asked(text))),
    responses: (text) => responses.invoke(asked(text)),
    'responses, streamed': async (text) => drain(await responses.stream(asked(text))),
  };
}

/** @returns {Promise<Calls>} */
export async function agentsCalls() {
  const { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run } = await load('@openai/agents');
  const { default: OpenAI } = await load('openai');
  const client = openAiClient(OpenAI);
  /** @param {any} Model */
  const agent = (Model) => new Agent({ name: 'harbour master', instructions: system, model: new Model(client, openAiModel) });
  /** @param {any} Model */
  const ways = (Model) => [
    (/** @type {string} */ text) => run(agent(Model), text),
    async (/** @type {string} */ text) => {
      const streamed = await run(agent(Model), text, { stream: true });
      await drain(streamed);
      await streamed.completed;
    },
  ];
  const [completed, completedStreamed] = ways(OpenAIChatCompletionsModel);
  const [responses, responsesStreamed] = ways(OpenAIResponsesModel);
  return /** @type {Calls} */ ({
    chat: completed,
    'chat, streamed': completedStreamed,
    responses,
    'responses, streamed': responsesStreamed,
  });
}

/**
 * @param {(model: unknown) => Promise<any>} agentOf an agent of Mastra
 * @returns {Promise<Calls>}
 */
export async function mastraCalls(agentOf) {
  const models = await aiModels();
  const entries = await Promise.all(
    Object.entries(models).map(async ([name, model]) => {
      const agent = await agentOf(model);
      return [
        [name, (/** @type {string} */ text) => agent.generate(text)],
        [
          `${name}, streamed`,
          async (/** @type {string} */ text) => {
            const output = await agent.stream(text);
            await drain(output.textStream);
          },
        ],
      ];
    }),
  );
  return Object.fromEntries(entries.flat());
}
