import { changeSetting } from '../connection/changing.ts';
import type { Answer, CallOptions, Connection } from '../connection/connection.ts';
import { answerOf } from '../connection/pages.ts';
import type { LimitUsage, RateLimits, RateLimitsAnswer, RedactionRules, RedactionRulesAnswer, RetentionAnswer } from '../types/settings.ts';

/** Limits on calls and on what they cost. */
export class Limits {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  async get(options: CallOptions = {}): Promise<Answer<RateLimitsAnswer>> {
    return answerOf(await this.connection.call('GET /v1/rate-limits', options));
  }

  /** How full they are, by the record. */
  async usage(options: CallOptions = {}): Promise<Answer<readonly LimitUsage[]>> {
    return answerOf(await this.connection.call('GET /v1/rate-limits/usage', options));
  }

  async replace(limits: RateLimits, options: CallOptions = {}): Promise<Answer<RateLimitsAnswer>> {
    return answerOf(await this.connection.call('PUT /v1/rate-limits', { body: limits, ...options }));
  }

  /** Changes the list as it is by now, and again where somebody else changes it meanwhile. */
  async change(change: (present: RateLimitsAnswer) => RateLimits, options: CallOptions = {}): Promise<Answer<RateLimitsAnswer>> {
    const { connection } = this;
    return changeSetting(
      {
        read: () => connection.call('GET /v1/rate-limits', options),
        write: (body, version) => connection.call('PUT /v1/rate-limits', { body, ...options, headers: { ...options.headers, ...version } }),
      },
      change,
    );
  }
}

/** What is taken out of records before they are stored. */
export class Redaction {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  async get(options: CallOptions = {}): Promise<Answer<RedactionRulesAnswer>> {
    return answerOf(await this.connection.call('GET /v1/redaction-rules', options));
  }

  async replace(rules: RedactionRules, options: CallOptions = {}): Promise<Answer<RedactionRulesAnswer>> {
    return answerOf(await this.connection.call('PUT /v1/redaction-rules', { body: rules, ...options }));
  }

  /** Changes the rules as they are by now, and again where somebody else changes them meanwhile. */
  async change(
    change: (present: RedactionRulesAnswer) => RedactionRules,
    options: CallOptions = {},
  ): Promise<Answer<RedactionRulesAnswer>> {
    const { connection } = this;
    return changeSetting(
      {
        read: () => connection.call('GET /v1/redaction-rules', options),
        write: (body, version) =>
          connection.call('PUT /v1/redaction-rules', { body, ...options, headers: { ...options.headers, ...version } }),
      },
      change,
    );
  }
}

/** How long records are kept. */
export class Retention {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  async get(options: CallOptions = {}): Promise<Answer<RetentionAnswer>> {
    return answerOf(await this.connection.call('GET /v1/retention', options));
  }

  /** Null keeps records without end. */
  async set(days: number | null, options: CallOptions = {}): Promise<Answer<RetentionAnswer>> {
    return answerOf(await this.connection.call('PUT /v1/retention', { body: { days }, ...options }));
  }
}
