import type { Money } from '../../model/pricing/money.ts';
import type { Bill, Usage } from '../../model/record/usage.ts';
import type { ServerSentEvent } from './sse.ts';

/** What is read from a request body. An empty text is an absent one. */
export interface RequestFields {
  readonly model: string;
  /** End user named in the body, used when the caller sent no user header. */
  readonly user: string;
  /** `prompt_cache_key`; absent in formats without it. */
  readonly cacheKey?: string;
  /** Text of all messages including system messages, joined by newlines. */
  readonly promptText: string;
  /** Text of the user's first message, which all turns of a conversation share. */
  readonly firstUserText: string;
  /** Text of the user's last message. */
  readonly lastUserText: string;
}

/** What is read from a response body. An empty text is an absent one, null is "not reported". */
export interface ResponseFields {
  readonly responseId: string;
  readonly model: string;
  readonly usage: Usage;
  readonly serviceTier: string;
  /** Text of the first choice, or its refusal. */
  readonly completionText: string;
  /** Finish reason of the first choice, verbatim. */
  readonly finishReason: string;
  /** The provider's own figure for this call. */
  readonly providerCost: Money | null;
  /** When several models took part, each at its own price: the share of each. The shares add up to `usage`. */
  readonly bills?: readonly Bill[];
}

export interface AssembledStream {
  /**
   * The non-streamed response as far as the stream came, for `readResponse`. An error in mid-stream is in `error`. Null when nothing was
   * understood.
   */
  readonly body: unknown;
  /** The stream's end event was seen. */
  readonly isComplete: boolean;
  /** At least one event had the shape of this format. Otherwise only the raw bytes can be recorded. */
  readonly understood: boolean;
}

/** The texts behind a call's token counts: the prompt with its tools, and all output including reasoning. */
export interface TokenTexts {
  readonly prompt: string;
  /** Undefined: the response is no text, such as vectors, and has no tokens. */
  readonly completion: string | undefined;
  /** Number of prompt messages, where the provider is known to add tokens around each message and before the response. */
  readonly messages?: number;
}

/**
 * A format of requests and responses, used by one or many providers. All functions are pure and never throw, whatever a provider or a
 * caller sent; they do not change the parsed JSON bodies.
 */
export interface WireFormat {
  /** Provider and endpoint, such as `openai.chat`. */
  readonly name: string;
  /** `body` is parsed JSON or the text fields of a form. `path` may name the model. */
  readonly readRequest: (body: unknown, path: string) => RequestFields;
  /** Reads a complete response, an assembled stream, or an error body. */
  readonly readResponse: (body: unknown) => ResponseFields;
  readonly assembleStream: (events: readonly ServerSentEvent[]) => AssembledStream;
  /** Reads a plain text response; absent when such responses hold no facts. */
  readonly readText?: (text: string) => ResponseFields;
  /**
   * Assembles a stream that is one growing JSON list or lines of JSON; `understood` is false for other responses. Absent when there are no
   * such streams.
   */
  readonly assembleList?: (text: string) => AssembledStream;
  /** Response header with the response's id, in lower case, for formats whose body has none. */
  readonly responseIdHeader?: string;
  /** Adds the facts in the headers of a response that is no stream, by lower-case name; absent when headers hold none. */
  readonly readHeaders?: (fields: ResponseFields, headers: Readonly<Record<string, string>>) => ResponseFields;
  /** Request members that limit the tokens of one answer, as dotted paths; absent when requests have no such limit. */
  readonly outputLimits?: readonly string[];
  /** For estimating unreported tokens; absent when tokens are always reported or are not text. */
  readonly readTokenTexts?: (request: unknown, response: unknown) => TokenTexts;
}
