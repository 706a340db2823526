/* Made from the OpenAPI document by `npx vitest run test/client-types.test.ts -u`; do not edit. */
import type { ApiKey, ApiKeyAnswer, ApiKeyChange, IssuedApiKeyAnswer, NewApiKey, NewProviderKey, ProviderKey, ProviderKeyAnswer, RateLimits, RateLimitsAnswer, RedactionRules, RedactionRulesAnswer, Retention, RetentionAnswer, SignIn, SignedInAnswer, SignedInOrNobody } from '../types/settings.ts';
import type { Done } from '../types/requests.ts';

/** What each endpoint takes, and the data that it answers, by method and path. */
export interface SettingsEndpoints {
  readonly 'GET /v1/rate-limits': {
    readonly data: RateLimitsAnswer;
  };
  readonly 'PUT /v1/rate-limits': {
    readonly body: RateLimits;
    readonly data: RateLimitsAnswer;
  };
  readonly 'GET /v1/redaction-rules': {
    readonly data: RedactionRulesAnswer;
  };
  readonly 'PUT /v1/redaction-rules': {
    readonly body: RedactionRules;
    readonly data: RedactionRulesAnswer;
  };
  readonly 'POST /v1/api-keys': {
    readonly body: NewApiKey;
    readonly data: IssuedApiKeyAnswer;
  };
  readonly 'GET /v1/api-keys': {
    readonly query?: {
      /** True: also keys that are revoked. */
      readonly include_revoked?: boolean | undefined;
    };
    readonly data: readonly ApiKey[];
  };
  readonly 'PATCH /v1/api-keys/{id}': {
    readonly path: {
      readonly id: string;
    };
    readonly body: ApiKeyChange;
    readonly data: ApiKeyAnswer;
  };
  readonly 'DELETE /v1/api-keys/{id}': {
    readonly path: {
      readonly id: string;
    };
    readonly data: Done;
  };
  readonly 'POST /v1/provider-keys': {
    readonly body: NewProviderKey;
    readonly data: ProviderKeyAnswer;
  };
  readonly 'GET /v1/provider-keys': {
    readonly data: readonly ProviderKey[];
  };
  readonly 'DELETE /v1/provider-keys/{id}': {
    readonly path: {
      /** Identifier of the stored key, as the list shows it. */
      readonly id: string;
    };
    readonly data: Done;
  };
  readonly 'GET /v1/retention': {
    readonly data: RetentionAnswer;
  };
  readonly 'PUT /v1/retention': {
    readonly body: Retention;
    readonly data: RetentionAnswer;
  };
  readonly 'GET /v1/session-cookie': {
    readonly data: SignedInOrNobody;
  };
  readonly 'POST /v1/session-cookie': {
    readonly body: SignIn;
    readonly data: SignedInAnswer;
  };
  readonly 'DELETE /v1/session-cookie': {
    readonly data: Done;
  };
}
