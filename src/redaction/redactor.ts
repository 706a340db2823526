import { type RedactionPlace, redactionPlaces, type RedactionRule } from '../model/redaction-rule.ts';
import { isCardNumber, redactCards } from './cards.ts';
import { redactEmails } from './emails.ts';
import { redactKeys } from './keys.ts';
import { compilePattern, type ReplaceMatches } from './pattern.ts';

/** Applies the rules of one place. */
export interface Redactor {
  readonly text: (text: string) => string;
  /** The replacement of a JSON number with these digits; undefined when it stays. */
  readonly number: (digits: string) => string | undefined;
}

/** Redactors by place; none where no rule applies. */
export type Redactors = Readonly<Partial<Record<RedactionPlace, Redactor>>>;

interface Step {
  readonly replace: ReplaceMatches;
  readonly rule: RedactionRule;
}

/** Compiles rules, which run in their order. @throws when a pattern is invalid. */
export function compileRules(rules: readonly RedactionRule[]): Redactors {
  const steps = rules.map((rule): Step => ({ rule, replace: replacerOf(rule) }));
  return Object.fromEntries(
    redactionPlaces.flatMap((place) => {
      const applicable = steps.filter(({ rule }) => rule.appliesTo.includes(place));
      return applicable.length === 0 ? [] : [[place, redactorOf(applicable)]];
    }),
  );
}

function redactorOf(steps: readonly Step[]): Redactor {
  const cardStep = steps.find(({ rule }) => rule.kind === 'card');
  return {
    text: (text) => steps.reduce((rest, { replace, rule }) => (rest === '' ? rest : replace(rest, rule.replacement)), text),
    number: (digits) => (cardStep !== undefined && isCardNumber(digits) ? cardStep.rule.replacement : undefined),
  };
}

function replacerOf({ kind, pattern }: RedactionRule): ReplaceMatches {
  switch (kind) {
    case 'email':
      return redactEmails;
    case 'card':
      return redactCards;
    case 'key':
      return redactKeys;
    case 'regex':
      if (pattern === null) throw new Error('a rule of the kind regex has no pattern');
      return compilePattern(pattern);
  }
}
