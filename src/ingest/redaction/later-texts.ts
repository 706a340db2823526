import type { Change } from '../../model/change.ts';
import { feedbackScore } from '../../model/vocabulary/scores.ts';
import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { RedactionRule } from '../../model/redaction-rule.ts';
import type { WorkClocks } from '../../redaction/rule-work.ts';
import { noTexts, type RecordTexts } from '../interpret/record-texts.ts';
import { BoundedRedactor } from './bounded.ts';

/** Rules in their order; undefined when there are none. Rejects while they cannot be read. */
export type RedactionRulesOf = (organizationId: OrganizationId) => Promise<readonly RedactionRule[] | undefined>;

/** The event loop waits for it, so a change gets less than a record. */
const limits = { ms: 30, msPerMiB: 0 };

/**
 * Redacts what is written to a record after its call: changes of properties and scores, session tags, and places that late spans complete.
 * Names and values count as properties, and the session's properties as identifiers. What the rules cannot be applied to is refused.
 */
export class LaterTexts {
  private readonly rulesOf: RedactionRulesOf;
  private readonly redactor: BoundedRedactor;

  constructor(rulesOf: RedactionRulesOf, clocks: WorkClocks) {
    this.rulesOf = rulesOf;
    this.redactor = new BoundedRedactor(clocks, limits);
  }

  /** @throws GatelogError `invalid_parameter` when the rules cannot be applied, `metadata_unavailable` when they cannot be read. */
  async change(organizationId: OrganizationId, change: Change): Promise<Change> {
    switch (change.kind) {
      case 'property':
      case 'session_property':
        return { ...change, values: await this.properties(organizationId, change.values) };
      case 'score':
        return { ...change, values: await this.scores(organizationId, change.values) };
      case 'fill':
        return {
          ...change,
          values: await this.properties(organizationId, change.values),
          over: await this.replaceable(organizationId, change.over),
        };
      case 'feedback':
        return change;
    }
  }

  /** The record has them as the rules left them. */
  private async replaceable(
    organizationId: OrganizationId,
    over: ReadonlyMap<string, readonly string[]>,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const replaceable = new Map<string, readonly string[]>();
    for (const [name, values] of over) {
      const redacted = await Promise.all(values.map((value) => this.properties(organizationId, new Map([[name, value]]))));
      replaceable.set(name, [...values, ...redacted.flatMap((properties) => [...properties.values()])]);
    }
    return replaceable;
  }

  /** @throws as {@link change} does. */
  async properties(organizationId: OrganizationId, values: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    return (await this.texts(organizationId, { properties: new Map(values) })).properties;
  }

  /** @throws as {@link change} does. */
  async tag(organizationId: OrganizationId, tag: string): Promise<string> {
    return (await this.texts(organizationId, { inputs: new Map([['', tag]]) })).inputs.get('') ?? '';
  }

  /** Names alone are text; that of feedback is ours. */
  private async scores(organizationId: OrganizationId, values: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    const own = [...values].filter(([name]) => name !== feedbackScore);
    const { inputs } = await this.texts(organizationId, { inputs: new Map(own.map(([name]) => [name, ''])) });
    const names = [...inputs.keys()];
    const feedback = values.get(feedbackScore);
    const renamed = own.map(([name, value], index): [string, number] => [names[index] ?? name, value]);
    return new Map(feedback === undefined ? renamed : [...renamed, [feedbackScore, feedback]]);
  }

  private async texts(organizationId: OrganizationId, given: Partial<RecordTexts>): Promise<RecordTexts> {
    const rules = await this.rules(organizationId);
    const texts = { ...noTexts, ...given };
    if (rules === undefined) return texts;
    const redacted = this.redactor.apply(organizationId, rules, texts);
    if (redacted.failure === undefined) return redacted.texts;
    throw new GatelogError(
      'invalid_parameter',
      `The organisation's redaction rules cannot be applied to this change: ${redacted.failure}. Send shorter texts, or fix the rule.`,
    );
  }

  private async rules(organizationId: OrganizationId): Promise<readonly RedactionRule[] | undefined> {
    try {
      return await this.rulesOf(organizationId);
    } catch (error) {
      if (error instanceof GatelogError) throw error;
      throw new GatelogError('metadata_unavailable', 'The redaction rules cannot be read. Try again in a moment.');
    }
  }
}
