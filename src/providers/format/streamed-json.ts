import { jsonCost, maxJsonCost } from '../../model/json/bounds.ts';
import { MarkedNumbers } from '../../model/json/exact-numbers.ts';
import { parseExactly } from '../../model/text.ts';

/** Reads the JSON texts that a stream holds, such as the arguments of its tool calls, within one bound for all of them. */
export class StreamedJson {
  private readonly numbers = new MarkedNumbers();
  private costLeft = maxJsonCost;

  /** @returns the value with the digits of its numbers; the text itself when it is no JSON, is cut, or exceeds what is left of the bounds. */
  read(text: string): unknown {
    this.costLeft -= jsonCost(text);
    return this.costLeft < 0 ? text : (parseExactly(text, 'digits', this.numbers) ?? text);
  }
}
