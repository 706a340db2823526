/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Filter } from '../filter.ts';
import type { Price } from './requests.ts';

export interface Model {
  /** What to send as `model`. */
  readonly id: string;
  readonly object: 'model';
  /** 0: nobody knows it. */
  readonly created: number;
  /** The provider. */
  readonly owned_by: string;
}

/** The prices that hold from now on; gateways and ingest see them within five seconds. */
export type PricesAnswer = readonly {
  readonly model: string;
  /** The provider's name in records. */
  readonly provider: string | null;
  readonly valid_from: string | null;
  /** Input of no other kind. */
  readonly input: number;
  /** Output of no other kind. */
  readonly output: number;
  /** Input that was read from a cache. */
  readonly cache_read?: number | undefined;
  /** Audio that was read from a cache. */
  readonly cache_read_audio?: number | undefined;
  /** Input that was written to a cache. */
  readonly cache_write?: number | undefined;
  /** Input that was written to a cache for an hour. */
  readonly cache_write_1h?: number | undefined;
  /** Input that was written to a cache for twelve hours. */
  readonly cache_write_12h?: number | undefined;
  /** Audio in the input. */
  readonly input_audio?: number | undefined;
  /** Images in the input. */
  readonly input_image?: number | undefined;
  /** Audio in the output. */
  readonly output_audio?: number | undefined;
  /** Images in the output. */
  readonly output_image?: number | undefined;
  /** Reasoning in the output. */
  readonly reasoning?: number | undefined;
  /** A million calls, each of which costs a fee beside its tokens. */
  readonly request?: number | undefined;
  /** A million seconds of audio, where these are billed in place of tokens. */
  readonly audio_seconds?: number | undefined;
  /** A million searches of the web, each of which costs a fee. */
  readonly web_search?: number | undefined;
  /** A million searches in stored files, each of which costs a fee. */
  readonly file_search?: number | undefined;
}[];

export type Prices = readonly Price[];

/** Which requests are priced anew. */
export interface Reprice {
  readonly filter?: Filter | undefined;
  /** Requests that arrived then or later; a date is its beginning, UTC. */
  readonly startDate?: string | undefined;
  /** Requests that arrived then or earlier; a date is its end, UTC. */
  readonly endDate?: string | undefined;
  /** True: nothing is written. */
  readonly dryRun?: boolean | undefined;
  /** Requests of this call, at most 1000. */
  readonly limit?: number | undefined;
  /** Goes on behind the call whose answer it was, with the same filter and dates. */
  readonly cursor?: string | undefined;
}

export type RepriceAnswer = RepriceReport;

/** What pricing anew came to, of the requests of this call. */
export interface RepriceReport {
  /** Requests that the filter and dates match, in the first call; null in those that go on. */
  readonly total: number | null;
  /** Requests that this call has looked at. */
  readonly checked: number;
  /** Of these, those whose cost stands: the caller or the provider stated it, or they were answered from the cache. */
  readonly stated: number;
  /** Requests whose cost is another one. */
  readonly changed: number;
  /** What these cost before, US dollars; what was not known adds nothing. */
  readonly before: number;
  /** What they cost now. */
  readonly after: number;
  readonly by_model: readonly {
    readonly model: string;
    /** Requests whose cost is another one. */
    readonly changed: number;
    /** What these cost before, US dollars; what was not known adds nothing. */
    readonly before: number;
    /** What they cost now. */
    readonly after: number;
  }[];
  /** Send it to go on; null: this was all. */
  readonly cursor: string | null;
}

/** Models of the price list that are not outdated. */
export interface ModelRegistryAnswer {
  readonly models: readonly RegisteredModel[];
  readonly total: number;
  readonly filters: {
    readonly providers: readonly {
      readonly name: string;
      readonly displayName: string;
    }[];
    readonly authors: readonly string[];
    /** What prices tell: audio, caching, image, reasoning, web_search. */
    readonly capabilities: readonly string[];
  };
}

export interface RegisteredModel {
  readonly id: string;
  readonly name: string;
  /** The first provider that lists the model. */
  readonly author: string;
  readonly contextLength: number | null;
  readonly description: string | null;
  readonly endpoints: readonly {
    /** What to write before the model: `provider/model`. */
    readonly provider: string;
    /** Same as provider. */
    readonly providerSlug: string;
    readonly pricing: ModelPricing;
    readonly pricingTiers?: readonly ModelPricing[] | undefined;
  }[];
  /** Empty: the price list does not tell. */
  readonly inputModalities: readonly string[];
  /** Empty, as before. */
  readonly outputModalities: readonly string[];
  /** Empty, as before. */
  readonly supportedParameters: readonly string[];
}

/** US dollars for a million tokens, or searches. */
export interface ModelPricing {
  /** Input; null where the list has no price. */
  readonly prompt: number | null;
  /** Output; null where the list has no price. */
  readonly completion: number | null;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly audio?: number | undefined;
  readonly image?: number | undefined;
  readonly internal_reasoning?: number | undefined;
  readonly web_search?: number | undefined;
  /** Input tokens above which the price holds. */
  readonly threshold?: number | undefined;
}
