import type { AddressedProvider } from '../../model/providers/providers.ts';

/** A header in which clients send a provider's key. */
export interface OwnedKeyHeader {
  readonly name: string;
  /** On OpenAI's surface only these providers accept it; absent: all do. */
  readonly owners?: readonly AddressedProvider[];
}

/** Paths below `/v1/` that belong to a provider without naming it. */
export interface NativePath {
  readonly provider: AddressedProvider;
  readonly path: RegExp;
  /** Only for this method. */
  readonly method?: string;
  /** Takes precedence over client headers, as clients of another provider call the path too. */
  readonly beforeClientHeaders?: true;
}

export interface AddressMembers {
  readonly provider: AddressedProvider;
  /** Of path and query at the provider. */
  readonly path: RegExp;
  readonly members: readonly string[];
}

/**
 * Facts about a wire format that need no parser. The gateway reads them once at startup. Header names are in lower case; every fact is
 * optional. A file of such facts is named `wire.ts` and imports types only.
 */
export interface WireProfile {
  /** An official client stops reading a stream after these bytes, anywhere in the stream. */
  readonly streamEndMarkers?: readonly string[];
  /** Regular expressions for the `type` of a stream's last event. */
  readonly finalEventTypes?: readonly string[];
  /** Regular expressions for the end of a stream whose last event has no such type. */
  readonly finalEventTexts?: readonly string[];
  /** Regular expressions for names and `type`s of events that bring a piece of an answer, and of all others of the format's streams. */
  readonly contentEvents?: readonly string[];
  readonly streamEvents?: readonly string[];
  /** Members that hold a piece of an answer: text, reasoning, arguments of a tool, audio or a picture. Their values are texts, or objects. */
  readonly contentTexts?: readonly string[];
  readonly contentObjects?: readonly string[];
  /** Names and `type`s of events that report a failure. */
  readonly failureEvents?: readonly string[];
  /** Values of `finish_reason` that report a failure. */
  readonly failedFinishReasons?: readonly string[];
  /** Regular expressions for a failure among the elements of a stream that is one JSON list. */
  readonly failedElements?: readonly string[];
  /** Media types of streams in binary messages, without `application/vnd.`. */
  readonly binaryStreamTypes?: readonly string[];
  /** Members of which an element of a stream that is one JSON list has one or more. */
  readonly listedMembers?: readonly string[];
  /** Bytes of a header by which a binary message is the end of an answer. */
  readonly finalMessageHeaders?: readonly string[];
  /** Headers of a binary message that report a failure. */
  readonly failureMessageHeaders?: readonly string[];
  /** Members of a complete response that hold its usage or precede it. */
  readonly usageMembers?: readonly string[];
  /** Top-level members of a request in which the end user is named. */
  readonly userMembers?: readonly string[];

  /**
   * Ends of the paths of calls whose response may come in the background, to be read later at the same path with its identifier behind.
   */
  readonly backgroundPaths?: readonly string[];

  /** Headers of replies that hold an address which clients call with their key. */
  readonly addressHeaders?: readonly string[];
  /** Members of replies that hold such addresses. */
  readonly addressMembers?: readonly AddressMembers[];

  readonly keyHeaders?: readonly OwnedKeyHeader[];
  /** Headers sent only by this provider's clients. */
  readonly clientHeaders?: readonly (readonly [name: string, provider: AddressedProvider])[];
  /** Headers that select an API version: the response depends on them, and they never hold a credential. */
  readonly versionHeaders?: readonly string[];
  /** Further headers on which the response depends. */
  readonly cacheKeyHeaders?: readonly string[];
  readonly recordedRequestHeaders?: readonly string[];
  readonly recordedResponseHeaders?: readonly string[];
  /** Recorded headers with few different values. */
  readonly repeatedHeaders?: readonly string[];
  /** Prefixes of response headers that belong to a single delivery. */
  readonly perDeliveryPrefixes?: readonly string[];

  /** Prefixes of paths outside `/v1/` that only one provider's clients call. */
  readonly nativePrefixes?: readonly (readonly [prefix: string, provider: AddressedProvider])[];
  readonly nativePaths?: readonly NativePath[];
}
