import { isJsonObject, parseJson } from '../../model/text.ts';
import type { CommandDependencies } from '../base/dependencies.ts';

interface FirstCall {
  readonly gateway: string;
  /** Base of the pages. */
  readonly pages: string;
  readonly key: string;
  readonly model: string;
}

const callMs = 60_000;
const maxShown = 200;

/** Sends one call, and says what came of it and where it is seen. It never throws: the service runs on. */
export async function makeFirstCall({ print, hint }: CommandDependencies, { gateway, pages, key, model }: FirstCall): Promise<void> {
  try {
    const response = await fetch(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'svc-session-id': 'first-call' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello, Gatelog!' }] }),
      signal: AbortSignal.timeout(callMs),
    });
    const id = response.headers.get('svc-id') ?? '';
    const said = textOf(parseJson(await response.text())).slice(0, maxShown);
    const seen = new URLSearchParams({ q: `id:${id}`, range: 'all', request: id });
    print(
      [
        '',
        response.ok
          ? `The first call, to ${model}, was answered: ${said}`
          : `The first call, to ${model}, failed with ${response.status}: ${said}`,
        `See it (sign in with the key in .env): ${pages}/requests?${seen.toString()}`,
      ].join('\n'),
    );
  } catch (error) {
    hint(`The first call was not answered (${error instanceof Error ? error.message : String(error)}).`);
  }
}

/** The answer's text, or the sentence of an error. */
function textOf(answer: unknown): string {
  if (!isJsonObject(answer)) return 'no JSON';
  const { error, choices } = answer;
  if (isJsonObject(error)) return String(error['message']);
  const [choice] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const message = isJsonObject(choice) ? choice['message'] : undefined;
  return isJsonObject(message) ? JSON.stringify(message['content']) : 'nothing';
}
