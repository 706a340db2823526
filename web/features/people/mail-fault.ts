import { peopleLimits } from '../../../src/model/people.ts';
import { lengthFault } from '../../lib/name-faults.ts';

/** What is wrong with the e-mail address of an invitation as it is typed, as a sentence; undefined: nothing, or there is no text. */
export function mailFault(text: string): string | undefined {
  const mail = text.trim();
  if (mail === '') return undefined;
  if (!/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(mail)) return 'Write one address such as ada@example.com, or leave it empty.';
  return lengthFault(mail, peopleLimits.mailCharacters);
}
