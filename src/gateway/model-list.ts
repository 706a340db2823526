import { echoProviderName, type ProviderTable } from './providers.ts';
import { giveReply, type ReplySink } from './reply-sink.ts';

/** Names of a provider's models, as far as they are known here. */
export type KnownModels = (provider: string) => readonly string[];

/** `GET /v1/models`: what callers reach with our key alone, in OpenAI's shape, written as the gateway routes by it: `provider/model`. */
export function answerModels(providers: ProviderTable, knownModels: KnownModels, method: string, sink: ReplySink): void {
  const open = providers.all.filter(({ isOpen }) => isOpen).flatMap(({ name }) => knownModels(name).map((model) => entry(name, model)));
  const body = Buffer.from(JSON.stringify({ object: 'list', data: [entry(echoProviderName, 'echo'), ...open] }));
  const lines = ['content-type', 'application/json', 'content-length', String(body.length)];
  giveReply(sink, { status: 200, lines, chunks: method === 'HEAD' ? [] : [body] });
}

/** OpenAI's clients expect a time of creation, which nobody knows here. */
function entry(provider: string, model: string): object {
  return { id: `${provider}/${model}`, object: 'model', created: 0, owned_by: provider };
}
