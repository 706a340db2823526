/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { Filter } from '../filter.ts';
import type { RequestItem } from './request-item.ts';

/** A query of requests. */
export interface RequestQuery {
  readonly filter: Filter;
  /** First row of the page, counted from 0. */
  readonly offset?: number | undefined;
  /** Rows of the page, at most 1000. */
  readonly limit?: number | undefined;
  /** Sort keys with "asc" or "desc", the first key first. What has no value comes last in both directions. */
  readonly sort?: {
    /** When the request arrived. */
    readonly created_at?: 'asc' | 'desc' | undefined;
    /** When the cached original was made. */
    readonly cache_created_at?: 'asc' | 'desc' | undefined;
    /** Milliseconds from the request to the end of the response. */
    readonly latency?: 'asc' | 'desc' | undefined;
    /** The latest request of the same user. */
    readonly last_active?: 'asc' | 'desc' | undefined;
    /** Input and output tokens together. */
    readonly total_tokens?: 'asc' | 'desc' | undefined;
    /** Output tokens. */
    readonly completion_tokens?: 'asc' | 'desc' | undefined;
    /** Input tokens. */
    readonly prompt_tokens?: 'asc' | 'desc' | undefined;
    /** User of the application. */
    readonly user_id?: 'asc' | 'desc' | undefined;
    /** Model that the response names. */
    readonly body_model?: 'asc' | 'desc' | undefined;
    /** Whether the answer came from the response cache. */
    readonly is_cached?: 'asc' | 'desc' | undefined;
    /** Text of the last user message. */
    readonly request_prompt?: 'asc' | 'desc' | undefined;
    /** Text of the first choice. */
    readonly response_text?: 'asc' | 'desc' | undefined;
    /** Cost in US dollars. */
    readonly cost?: 'asc' | 'desc' | undefined;
    /** Milliseconds to the first byte of a streamed response. */
    readonly time_to_first_token?: 'asc' | 'desc' | undefined;
    /** Text of a property by its name. */
    readonly properties?: Readonly<Record<string, 'asc' | 'desc'>> | undefined;
    /** Text of a prompt input by its name. */
    readonly values?: Readonly<Record<string, 'asc' | 'desc'>> | undefined;
    /** True alone: in random order, without a cursor. */
    readonly random?: boolean | undefined;
  } | undefined;
  /** The response header `svc-next-cursor` of the page before: the page continues exactly behind it, whatever arrived meanwhile, and `offset` is not counted. */
  readonly cursor?: string | undefined;
  /** True keeps only answers from the response cache; false changes nothing. */
  readonly isCached?: boolean | undefined;
  /** True adds each request's prompt inputs. */
  readonly includeInputs?: boolean | undefined;
  /** False leaves `request_body` and `response_body` null, which is quicker and makes room for more requests. */
  readonly includeBodies?: boolean | undefined;
  /** True keeps only requests of experiments; false changes nothing. */
  readonly isPartOfExperiment?: boolean | undefined;
  /** True keeps only requests with a score or feedback; false changes nothing, but on `/v1/request/query`, where it keeps those without. */
  readonly isScored?: boolean | undefined;
}

/** How many requests match. */
export type RequestCount = number;

/** Identifiers of requests. */
export interface RequestIds {
  /** Identifiers, the values of the response header svc-id. */
  readonly requestIds: readonly string[];
  /** False leaves `request_body` and `response_body` null, which is quicker and makes room for more requests. */
  readonly includeBodies?: boolean | undefined;
}

/** Which requests get which properties. */
export interface BulkPropertyUpdate {
  readonly filter?: Filter | undefined;
  /** Property names with their values. Each is added or replaced, the others stay. */
  readonly set?: Readonly<Record<string, string>> | undefined;
  /** Names of properties to remove. At least one name is in `set` or here, and none in both. */
  readonly remove?: readonly string[] | undefined;
  /** False: the requests are changed, by a job. */
  readonly dryRun?: boolean | undefined;
}

/** The dry run, or with `dryRun: false` the job. */
export type BulkPropertyAnswer = BulkPropertyDryRun | Job;

/** What the change would do, with the newest matching requests as a sample. */
export interface BulkPropertyDryRun {
  /** Requests that match now. */
  readonly total: number;
  /** Of these, those that the change would alter. */
  readonly changing: number;
  readonly sample: readonly {
    readonly request_id: string;
    readonly request_created_at: string;
    readonly model: string;
    /** Values of the named properties, null where there is none. */
    readonly before: Readonly<Record<string, string | null>>;
    readonly after: Readonly<Record<string, string | null>>;
  }[];
}

/** A change of many requests, with its progress. */
export interface Job {
  readonly job_id: string;
  /** `property` sets and removes properties; `undo` restores what another job changed. */
  readonly kind: 'property' | 'undo';
  /** `queued` waits for earlier jobs of the organisation. `cancelled` and `failed` keep what they have changed; it can be undone. */
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** The filter as it was sent; null for an undo, and when it named a user who was erased since. */
  readonly filter?: unknown;
  /** Properties that are set, null for an undo. */
  readonly set: Readonly<Record<string, string>> | null;
  /** Properties that are removed, null for an undo. */
  readonly remove: readonly string[] | null;
  /** The job that this one undoes. */
  readonly undoes: string | null;
  /** The undo of this job. */
  readonly undone_by: string | null;
  /** Identifier of the key that ordered the job; the history names it. */
  readonly key_id: string;
  /** When the job was ordered. */
  readonly created_at: string;
  /** When it started; in the history its changes have this time. */
  readonly started_at: string | null;
  /** When it ended. */
  readonly ended_at: string | null;
  /** Requests that the job covers, fixed when it starts; null until then. */
  readonly total: number | null;
  /** Of these, those that are done: the sum of the following counts. */
  readonly done: number;
  /** Requests that the job has changed as it was to. */
  readonly changed: number;
  /** Requests that were already as the job wants them. */
  readonly unchanged: number;
  /** Requests of which a property was left alone, because another change of it came later than the job, or than the undone one; their other properties are changed. */
  readonly changed_since: number;
  /** Requests left alone, because they would have had too many or too long properties. */
  readonly refused: number;
  /** Requests erased or expired meanwhile. */
  readonly gone: number;
  /** Why the job failed, or why it does not go on at the moment; it is retried then. */
  readonly error: string | null;
}

export type RequestAnswer = RequestItem;

/** Property names with their values. Each is added or replaced, the others stay. A body of exactly `key` and `value` sets the one property that `key` names. `Helicone-Session-Id`, `-Name`, `-Path` and `-Feedback`, and `Helicone-Prompt-Id`, set the property that begins with `Svc-` instead. */
export type PropertyUpdate = Readonly<Record<string, string>>;

/** The change is durable, and every later read sees it. */
export type Done = null;

/** Scores of a request. Other fields are ignored with a warning. */
export interface ScoreUpdate {
  /** Score names with their values. Each is added or replaced, the others stay. */
  readonly scores: Readonly<Record<string, number | boolean>>;
}

/** A rating of the answer. It is also the score `svc-score-feedback`, 1 or 0; a later one replaces it. */
export interface Feedback {
  /** True is good, false is bad. */
  readonly rating: boolean;
}

/** One name of one change of a request. */
export interface Change {
  /** When the change was accepted. */
  readonly changed_at: string;
  /** Identifier of the key that made the change; `operator` for the operator of the service, `gateway` for facts from a later call through the gateway. */
  readonly key_id: string;
  /** What was changed. */
  readonly kind: 'property' | 'score' | 'feedback' | 'session_property' | 'cost' | 'usage' | 'texts';
  /** Name of the property or score; `svc-score-feedback` for a feedback, `cost` for a cost, `prompt_tokens` or `completion_tokens` for usage that became known later, `request_body` or `response_body` for texts that log records told. */
  readonly name: string;
  /** Value before, null when there was none; null for `session_property`, which does not keep it. */
  readonly old: string | number | boolean | null;
  /** Value after: text of a property, number of a score, true or false of a feedback, US dollars of a cost, number of tokens or of messages, null where none is known. */
  readonly new: string | number | boolean | null;
}

export type RequestCostAnswer = RequestCost;

/** What a request costs and why. */
export interface RequestCost {
  /** US dollars, as `cost` of the request; null when it is not known. */
  readonly total: number | null;
  /** As `cost_source` of the request. */
  readonly source: 'price-book' | 'provider' | 'header' | 'none';
  /** They add up exactly to the total, as decimals of twelve places. */
  readonly lines: readonly CostLine[];
  /** What it comes to by the prices of its time as the tables have them now; null when they have none. */
  readonly recomputed_total: number | null;
  /** True when `recomputed_total` is not the total: prices were changed since. `gatelog reprice` applies them. */
  readonly differs: boolean;
  /** The model with a price whose name is most like that of a model without one; null when there is a price, or no such name. */
  readonly nearest: {
    /** Its name in the list. */
    readonly model: string;
    readonly line: Price;
  } | null;
  /** What the lines do not say. */
  readonly note: string | null;
}

/** One kind of token, its price and what it comes to. */
export interface CostLine {
  /** `request` is a fee per call, `web_search` and `file_search` one per search, `audio_seconds` a time, `total` a figure that nobody has split; the others are kinds of tokens. */
  readonly kind: 'input' | 'cache_read' | 'cache_read_audio' | 'cache_write' | 'cache_write_1h' | 'cache_write_12h' | 'input_audio' | 'input_image' | 'output' | 'output_audio' | 'output_image' | 'reasoning' | 'request' | 'audio_seconds' | 'web_search' | 'file_search' | 'total';
  /** Tokens of this kind, no token on two lines, or searches, seconds, calls; null for `total`. */
  readonly tokens: number | null;
  /** US dollars for a million of them; null for `total`. */
  readonly price_per_million: number | null;
  /** US dollars. */
  readonly amount: number;
  /** Where the price stands: `organization` is `PUT /v1/prices`, `prices-file` the prices of the operator (`GATELOG_PRICES_FILE`), `corrections` what Gatelog knows better than the public list, `price-book` that list, `service-tiers` our table of tiers, `built-in` that of the echo provider. `provider` and `header` are figures that the provider or the caller stated. */
  readonly price_source: 'organization' | 'built-in' | 'service-tiers' | 'prices-file' | 'corrections' | 'price-book' | 'provider' | 'header';
  /** Who says so, and when, such as `@pydantic/genai-prices 0.1.8 of 2026-09-23`; null when its table is its own source. */
  readonly stated_by: string | null;
  /** Date (UTC) from which the price holds; null when its table gives none. */
  readonly valid_from: string | null;
}

/** Its price under the name of the model without one: a line for the list of `PUT /v1/prices`, or for `gatelog prices import`. */
export interface Price {
  /** `model` is a model's name of 1 to 256 characters; a `*` at its end stands for all that begin so. */
  readonly model: string;
  /** The only provider for which it holds, by its name in paths or in records; absent or null: whoever serves the model. */
  readonly provider?: string | null | undefined;
  /** Date (UTC) from which it holds; absent or null: always. */
  readonly valid_from?: string | null | undefined;
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
}

export interface AssetAnswer {
  readonly assetUrl: string;
}

/** One score of a request. Other fields are ignored with a warning. */
export interface Eval {
  readonly name: string;
  /** A finite number; true is 1, false is 0. */
  readonly score: number | boolean;
}

/** What became of each line. */
export interface ImportAnswer {
  /** Lines that hold something. */
  readonly lines: number;
  /** Records that are new. They are on record; queries find them within about a second. */
  readonly imported: number;
  /** Lines whose `request_id` is on record in this organisation, or stands in another line. Nothing was changed. */
  readonly already_there: number;
  /** Lines that cannot be stored. */
  readonly rejected: number;
  /** The rejected lines, at most 10000 of them. */
  readonly rejections: readonly RefusedLine[];
  /** True: nothing was stored. */
  readonly dry_run: boolean;
}

export interface RefusedLine {
  /** Number of the line in the body, from 1. */
  readonly line: number;
  /** The field at fault; empty for the line as a whole. */
  readonly field: string;
  /** What is wrong with it, and what to write instead. */
  readonly reason: string;
}

/** Both bodies of a request. */
export interface RequestBodies {
  /** Body of the request: JSON as such, other text as a string, bytes as {"base64", "content_type"}; null when it was not kept or not asked for. */
  readonly request: unknown;
  /** Body of the response: JSON as such, other text as a string, bytes as {"base64", "content_type"}; null when it was not kept or not asked for. */
  readonly response: unknown;
}
