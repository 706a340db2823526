/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */

/** The limits that hold from now on; gateways see them within five seconds. */
export type RateLimitsAnswer = readonly {
  readonly policy: string;
  readonly key_id: string | null;
  /** The alert rule with `enforce` that the limit belongs to. */
  readonly alert_id?: string | undefined;
  readonly alert_name?: string | undefined;
}[];

export type RateLimits = readonly RateLimit[];

/** A limit on calls or on what they cost. */
export interface RateLimit {
  /** `<quota>;w=<seconds>[;u=request|cents][;s=user|<property>]`: at most `quota` calls, or cents of US dollars with `u=cents`, in each window of `seconds`; with `s=` for each user or each value of the property. */
  readonly policy: string;
  /** The only key for whose calls it holds; absent or null: all. */
  readonly key_id?: string | null | undefined;
  /** As the list shows it. A limit with an `alert_id` belongs to that alert rule; change it there (PUT /v1/alerts/{id}), and leave it in the list as it is shown, or out. */
  readonly alert_id?: string | undefined;
  readonly alert_name?: string | undefined;
}

/** The rules in force for new records, at the latest in five seconds. */
export type RedactionRulesAnswer = readonly {
  readonly kind: 'email' | 'card' | 'key' | 'regex';
  readonly pattern: string | null;
  readonly replacement: string;
  readonly applies_to: readonly ('request' | 'response' | 'properties' | 'identifiers')[];
}[];

export type RedactionRules = readonly RedactionRule[];

/** What is taken out of records before they are stored. */
export interface RedactionRule {
  readonly kind: 'email' | 'card' | 'key' | 'regex';
  /** Of a `regex` alone, in the syntax of RE2: without look-around and back-references. `(?i)` at its start makes it ignore case. */
  readonly pattern?: string | null | undefined;
  /** What stands in the place of what was found; `[email]`, `[card]`, `[key]` or `[redacted]` unless given. */
  readonly replacement?: string | null | undefined;
  /** Where the rule looks; request, response, properties unless given. `identifiers` are user, session, prompt, job, node and experiment. */
  readonly applies_to?: readonly ('request' | 'response' | 'properties' | 'identifiers')[] | null | undefined;
}

/** A key to create. */
export interface NewApiKey {
  readonly api_key_name: string;
  /** `rw` sends calls and queries, `r` queries, `w` only sends calls and logs, `admin` also manages the organisation. */
  readonly key_permissions?: 'rw' | 'r' | 'w' | 'admin' | undefined;
}

/** The new key; gateways take it within a second. */
export interface IssuedApiKeyAnswer {
  readonly id: string;
  /** The key. It is shown only here. */
  readonly apiKey: string;
  /** SHA-256 of the key, hexadecimal: what `request.auth_hash` of a request filter compares with. */
  readonly hashedKey: string;
}

/** What is shown of a key; the key itself never is. */
export interface ApiKey {
  readonly id: string;
  readonly api_key_name: string;
  readonly key_permissions: 'rw' | 'r' | 'w' | 'admin';
  /** SHA-256 of the key, hexadecimal: what `request.auth_hash` of a request filter compares with. */
  readonly api_key_hash: string;
  /** The first characters of the key. */
  readonly prefix: string;
  readonly created_at: string;
  /** Null while the key is valid. */
  readonly revoked_at: string | null;
}

/** Another name, other permissions, or both. */
export interface ApiKeyChange {
  readonly api_key_name?: string | undefined;
  /** `rw` sends calls and queries, `r` queries, `w` only sends calls and logs, `admin` also manages the organisation. */
  readonly key_permissions?: 'rw' | 'r' | 'w' | 'admin' | undefined;
}

export type ApiKeyAnswer = ApiKey;

/** A key of a provider that the organisation stores. */
export interface NewProviderKey {
  readonly provider: 'openai' | 'anthropic' | 'gemini' | 'vertex' | 'azure' | 'bedrock' | 'groq' | 'together' | 'openrouter' | 'mistral' | 'deepseek' | 'fireworks' | 'perplexity' | 'xai' | 'cerebras' | 'nvidia' | 'deepinfra' | 'hyperbolic' | 'nebius' | 'novita' | 'huggingface' | 'cohere' | 'ollama' | 'vllm' | 'lmstudio' | 'google' | 'google-ai-studio' | 'x' | 'aws';
  /** The key of the provider. It is encrypted at once and never shown again. */
  readonly key: string;
  /** Tells several keys of one provider apart. Without one it is the key that is used where none is named. */
  readonly name?: string | null | undefined;
}

export type ProviderKeyAnswer = ProviderKey;

/** What is shown of a stored key; the key itself never is. */
export interface ProviderKey {
  readonly id: string;
  readonly provider: string;
  readonly name: string | null;
  /** The last four characters of the key, shown to keys with the permission `admin`; null for one of less than 20. */
  readonly hint: string | null;
  readonly created_at: string;
  /** False: the secret of the deployment is another than the one that the key was encrypted with, so calls that need it are refused. Restore the secret, or delete the key and store it again. */
  readonly readable: boolean;
}

/** How long records are kept, in days. */
export interface RetentionAnswer {
  /** The organisation's own; null: none. */
  readonly days: number | null;
  /** The deployment's, which holds for all organisations; null: none. */
  readonly deployment_days: number | null;
  /** The shorter of both, which holds; null: records are kept without end. */
  readonly effective_days: number | null;
}

/** Days for which records are kept; null: without end. */
export interface Retention {
  readonly days: number | null;
}

/** The organisation and the key of the caller; null without a session and a key. */
export type SignedInOrNobody = SignedIn | null;

/** Who calls. */
export interface SignedIn {
  readonly organization_id: string;
  readonly organization_name: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly key_permissions: 'rw' | 'r' | 'w' | 'admin';
  /** End of the session; null for a call with a key. */
  readonly expires_at: string | null;
}

/** The key for which the session stands. */
export interface SignIn {
  readonly apiKey: string;
}

export type SignedInAnswer = SignedIn;
