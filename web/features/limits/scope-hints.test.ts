import { describe, expect, it } from 'vitest';
import { propertyHint, valueHint } from './scope-hints.ts';

describe('the property of a limit', () => {
  const names = ['Department', 'Team'];

  it('that requests have is not spoken of', () => {
    expect(['', 'Department', ' Team '].map((name) => propertyHint(name, names))).toEqual([undefined, undefined, undefined]);
  });

  it('in another case has the name of the requests beside it', () => {
    expect(propertyHint('department', names)).toEqual({
      text: 'Requests write it Department: names are case-sensitive in searches.',
      instead: 'Department',
    });
  });

  it('that no request has is unknown, with the nearest name if there is one', () => {
    expect(propertyHint('Taem', names)).toEqual({ text: 'No request has this property yet; there is Team.', instead: 'Team' });
    expect(propertyHint('Region', names)).toEqual({ text: 'No request has this property yet.', instead: undefined });
    expect(propertyHint('Region', [])).toBeUndefined();
  });
});

describe('the value of a limit', () => {
  it('that a request has, or while nobody knows, is not spoken of', () => {
    expect([valueHint(undefined), valueHint({ isThere: true, near: undefined })]).toEqual([undefined, undefined]);
  });

  it('that no request has is said, with the value that was probably meant', () => {
    expect(valueHint({ isThere: false, near: 'billing' })).toEqual({
      text: 'No request of the last 30 days has this value; there is billing. Values are case-sensitive.',
      instead: 'billing',
    });
    expect(valueHint({ isThere: false, near: undefined })).toEqual({ text: 'No request of the last 30 days has this value.' });
  });
});
