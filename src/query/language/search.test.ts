import { describe, expect, it } from 'vitest';
import { describeFilter } from '../filter/describe.ts';
import { SearchFault } from './fault.ts';
import { parseSearch } from './parse.ts';
import { printSearch } from './print.ts';

function faultOf(text: string): unknown {
  try {
    return parseSearch(text);
  } catch (error) {
    return error instanceof SearchFault ? error : undefined;
  }
}

describe('a search', () => {
  it.each([
    ['', 'all requests'],
    ['model:gpt-4o', 'model is "gpt-4o"'],
    ['model:gpt-4o status:>=400', 'model is "gpt-4o" and status is at least 400'],
    ['Team:search -user:ann', 'property "Team" is "search" and user is not "ann"'],
    ['has:Environment', 'has a property "Environment"'],
    ['"exact words"', 'request body contains "exact words" or response body contains "exact words"'],
    ['refund', 'request body contains "refund" or response body contains "refund"'],
    ['-refund', 'request body does not contain "refund" and response body does not contain "refund"'],
    ['(A:1 OR B:2) C:3', '(property "A" is "1" or property "B" is "2") and property "C" is "3"'],
    ['A:1 B:2 OR C:3', '(property "A" is "1" and property "B" is "2") or property "C" is "3"'],
    ['A:1 AND B:2', 'property "A" is "1" and property "B" is "2"'],
    ['NOT (A:1 OR status:>=400)', 'property "A" is not "1" and status is under 400'],
    ['model:(gpt-4o OR gpt-4o-mini)', 'model is "gpt-4o" or model is "gpt-4o-mini"'],
    ['status:400..499', 'status is at least 400 and status is at most 499'],
    ['latency:>2s cost:>0.5', 'latency is over 2000 ms and cost is over 0.5 USD'],
    ['tokens:>10k', 'total tokens is over 10000'],
    ['model:gpt-*', 'model matches "gpt-%" in any case'],
    ['model:"gpt-*"', 'model is "gpt-*"'],
    ['request_body:~refund', 'request body contains "refund"'],
    ['scores.accuracy:>0.5', 'score "accuracy" is over 0.5'],
    ['inputs.city:Oslo', 'input "city" is "Oslo"'],
    ['scores."my score":>0.5', 'score "my score" is over 0.5'],
    ['"my property":"two words"', 'property "my property" is "two words"'],
    ['"model":x', 'property "model" is "x"'],
    ['properties.model:x', 'property "model" is "x"'],
    ['time:>=2026-01-31', 'time is at or after 2026-01-31 00:00 UTC'],
    ['-time:2026-01-31T12:30Z', 'time is before 2026-01-31 12:30 UTC or time is after 2026-01-31 12:30 UTC'],
    ['-cached:true', 'cached is false'],
    ['Team:""', 'property "Team" is empty'],
    ['file:a..b', 'property "file" is "a..b"'],
    ['session:s1 session_total_cost:>1', 'session is "s1" and session total cost is over 1 USD'],
  ])('%s means: %s', (text, sentence) => {
    expect(describeFilter(parseSearch(text).filter)).toBe(sentence);
  });

  it.each([
    ['status:high', 'status takes a number such as 400, >=400 or 400..499; "high" is none.', 7, 11],
    ['model:>5', 'model takes a text, `~` before a part of it, or `*` for any characters.', 6, 8],
    ['cached:yes', 'cached takes true or false; "yes" is none.', 7, 10],
    ['Team:', 'A value is missing; write "" for an empty one.', 5, 6],
    ['"open', 'The closing quotation mark is missing.', 0, 5],
    ['(A:1', 'The closing parenthesis is missing.', 0, 4],
    ['A:1)', 'There is no opening parenthesis for this one.', 3, 4],
    ['A:1 OR', 'Here a term is missing, such as model:gpt-4o.', 6, 7],
    ['-has:Team', 'This cannot be denied: records without the value would be neither in it nor out of it.', 0, 9],
    ['scores.:1', 'Behind "scores." a name is missing.', 0, 8],
    [':x', 'Before the colon a field or a property is missing.', 0, 1],
    [`${'('.repeat(201)}a`, 'A search has at most 200 parentheses inside each other.', 200, 201],
  ])('%s is refused with its place', (text, message, from, to) => {
    expect(faultOf(text)).toMatchObject({ message, from, to });
  });

  it('a name near that of a field is a property, with a hint', () => {
    expect(parseSearch('user:ann -modle:gpt-4o modle:x').hints).toEqual([
      { name: 'modle', meant: 'model', corrected: 'user:ann -model:gpt-4o modle:x' },
    ]);
    expect(parseSearch('Team:search').hints).toEqual([]);
  });

  it.each([
    'Cost-Center:checkout',
    'Model-Family:x',
    'User-Tier:gold',
    'Status-Page:x',
    'Session-Kind:x',
    'Latency-Class:slow',
    'Plan:pro',
  ])('%s is no misspelt field', (text) => {
    expect(parseSearch(text).hints).toEqual([]);
  });

  it('characters that are swapped make no other word, however short', () => {
    expect(parseSearch('usre:ben').hints).toMatchObject([{ meant: 'user' }]);
  });

  it('a field is not offered where the search could not be read with it', () => {
    expect(parseSearch('Costs:3').hints).toMatchObject([{ meant: 'cost', corrected: 'cost:3' }]);
    expect(parseSearch('Costs:checkout').hints).toEqual([]);
  });

  it.each([
    ['request_created_at:>=2026-01-31', 'time:>=2026-01-31T00:00:00.000Z'],
    ['(model:a OR model:b) refund', 'model:(a OR b) "refund"'],
    ['properties.Team:x', 'Team:x'],
    ['properties.model:x', '"model":x'],
    ['status:400..499', 'status:>=400 status:<=499'],
  ])('%s is printed %s', (text, shown) => {
    expect(printSearch(parseSearch(text).filter)).toBe(shown);
  });
});
