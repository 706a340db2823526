import type { AddressedProvider } from '../model/vocabulary/providers.ts';

/** A header in which clients send a provider's key. */
export interface KeyHeaderFact {
  readonly name: string;
  /** On OpenAI's surface only these providers take it; absent: all do. */
  readonly owners?: readonly AddressedProvider[];
}

/** Paths below `/v1/` that lead to a provider without its name. */
export interface NativePath {
  readonly provider: AddressedProvider;
  readonly path: RegExp;
  /** Only with this method. */
  readonly method?: string;
  /** The path counts before a client header: the clients of another provider call it too. */
  readonly beforeClientHeaders?: true;
}

/**
 * Facts about one wire format that need no parser: the gateway reads them once, when it starts. Header names are in lower case; every fact is
 * optional. A file of such facts is named `wire.ts` and imports types alone.
 */
export interface WireFacts {
  /** An official client stops reading a stream after these bytes, wherever in the stream they stand. */
  readonly streamEndMarkers?: readonly string[];
  /** Regular expressions for the `type` of a stream's last event. */
  readonly finalEventTypes?: readonly string[];
  /** Regular expressions for the end of a stream whose last event has no such type. */
  readonly finalEventTexts?: readonly string[];
  /** Names and `type`s of events that report a failure. */
  readonly failureEvents?: readonly string[];
  /** Values of `finish_reason` that report a failure. */
  readonly failedFinishReasons?: readonly string[];
  /** Regular expressions for a failure among the elements of a stream that is one JSON list. */
  readonly failedElements?: readonly string[];
  /** Media types of streams in binary messages, without `application/vnd.`. */
  readonly binaryStreamTypes?: readonly string[];
  /** Headers of a binary message that report a failure. */
  readonly failureMessageHeaders?: readonly string[];
  /** Members of a whole response that hold its usage or stand in front of it. */
  readonly usageMembers?: readonly string[];

  readonly keyHeaders?: readonly KeyHeaderFact[];
  /** Only this provider's clients send the header. */
  readonly clientHeaders?: readonly (readonly [name: string, provider: AddressedProvider])[];
  /** They select a version of the API: the response depends on them, and they never hold a credential. */
  readonly versionHeaders?: readonly string[];
  /** The response depends on them beside the version headers. */
  readonly cacheKeyHeaders?: readonly string[];
  readonly recordedRequestHeaders?: readonly string[];
  readonly recordedResponseHeaders?: readonly string[];
  /** Recorded headers that have few different values. */
  readonly repeatedHeaders?: readonly string[];
  /** Prefixes of response headers that are true of one delivery only. */
  readonly perDeliveryPrefixes?: readonly string[];

  /** Starts of paths outside `/v1/` that only one provider's clients call. */
  readonly nativePrefixes?: readonly (readonly [prefix: string, provider: AddressedProvider])[];
  readonly nativePaths?: readonly NativePath[];
}
