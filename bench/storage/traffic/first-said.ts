import type { Call } from './call.ts';
import type { ChatRequest, Message } from './chat.ts';

/** What passes, and how much of it no call before has said. */
export interface Traffic {
  readonly calls: number;
  /** Of both bodies. */
  readonly wireBytes: number;
  /** Of paragraphs, pictures, calls of tools and tools, each counted where it passes first, as JSON. */
  readonly firstSaidBytes: number;
}

interface ChatResponse {
  readonly choices: readonly { readonly message: Message }[];
}

/** Reads the bodies of all calls. */
export function trafficOf(calls: Iterable<Call>): Traffic {
  const said = new Set<string>();
  let [count, wireBytes, firstSaidBytes] = [0, 0, 0];
  for (const { request, response } of calls) {
    count += 1;
    wireBytes += Buffer.byteLength(request) + Buffer.byteLength(response);
    const { messages, tools = [] } = JSON.parse(request) as ChatRequest;
    const answers = (JSON.parse(response) as ChatResponse).choices.map(({ message }) => message);
    for (const text of [...tools.map((tool) => JSON.stringify(tool)), ...[...messages, ...answers].flatMap(saidIn)]) {
      if (said.has(text)) continue;
      said.add(text);
      firstSaidBytes += Buffer.byteLength(text);
    }
  }
  return { calls: count, wireBytes, firstSaidBytes };
}

/** The same for a message as an answer and as a part of the next request. */
function saidIn({ content, tool_calls: calls = [] }: Message): readonly string[] {
  const parts = typeof content === 'string' ? content.split('\n\n') : content;
  return [...parts, ...calls].map((part) => JSON.stringify(part));
}
