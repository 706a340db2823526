import type { Money } from '../model/pricing/money.ts';
import type { Bill, Usage } from '../model/record/usage.ts';
import type { ServerSentEvent } from './sse.ts';

/** What a request body says. An empty text is an absent one. */
export interface RequestFacts {
  readonly model: string;
  /** End user named in the body, used when the caller sent no user header. */
  readonly user: string;
  /** Text of all messages, system messages included, joined by newlines. */
  readonly promptText: string;
  /** Text of the last message of the user. */
  readonly lastUserText: string;
}

/** What a response body says. An empty text is an absent one, null is "not said". */
export interface ResponseFacts {
  readonly responseId: string;
  readonly model: string;
  readonly usage: Usage;
  readonly serviceTier: string;
  /** Text of the first choice; of a refusal, the sentence that refuses. */
  readonly completionText: string;
  /** Why the first choice ended, in the provider's own word. */
  readonly finishReason: string;
  /** The provider's own figure for this one call, where it states one. */
  readonly providerCost: Money | null;
  /** Where several models took part, each at its own price: what each of them did. Together they are the usage. */
  readonly bills?: readonly Bill[];
}

/** A stream put together again. */
export interface AssembledStream {
  /**
   * What the provider would have answered without streaming, as far as the stream came; `readResponse` reads it. An error that arrived in
   * mid-stream stands beside the rest under `error`. Null when nothing was understood.
   */
  readonly body: unknown;
  /** The event that ends a stream of this format was seen. */
  readonly whole: boolean;
  /** At least one event had the shape of this format. When not, the bytes themselves are all there is to keep. */
  readonly understood: boolean;
}

/** What the tokens of a call were made of, as far as it is text: all of the prompt with its tools, all that was generated with what was thought. */
export interface TokenTexts {
  readonly prompt: string;
  readonly completion: string;
  /** Messages of the prompt, where the provider is known to frame each and to begin the reply; absent where it is not. */
  readonly messages?: number;
}

/**
 * One way to write requests and responses, spoken by one provider or by many. All of it is pure and never throws, whatever a provider or a
 * caller sent; bodies are parsed JSON and are not changed.
 */
export interface WireFormat {
  /** Provider and endpoint, such as `openai.chat`. */
  readonly name: string;
  /** `body` is parsed JSON, or the text fields of a form. `path` is the one that was called: some formats name the model there. */
  readonly readRequest: (body: unknown, path: string) => RequestFacts;
  /** Reads a whole response, an assembled stream, or an error body. */
  readonly readResponse: (body: unknown) => ResponseFacts;
  readonly assembleStream: (events: readonly ServerSentEvent[]) => AssembledStream;
  /** Reads a response that is text and no JSON; absent where such a one says nothing. */
  readonly readText?: (text: string) => ResponseFacts;
  /** Puts a stream together that is written as one growing JSON list, or as JSON by the line; absent where there are none, `understood` false for another answer. */
  readonly assembleList?: (text: string) => AssembledStream;
  /** Header of a reply, in lower case, that identifies the response where its body has no place for that. */
  readonly responseIdHeader?: string;
  /** Members of a request that limit the tokens of one answer, the levels parted by dots; absent where a request has no such limit. */
  readonly outputLimits?: readonly string[];
  /** Asked when a provider did not report tokens; absent where they are not made of text, or always reported. */
  readonly readTokenTexts?: (request: unknown, response: unknown) => TokenTexts;
}
