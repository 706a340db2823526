/** A fault in a search, with its place: code units, the end exclusive. */
export class SearchFault extends Error {
  override readonly name = 'SearchFault';
  readonly from: number;
  readonly to: number;

  constructor(message: string, from: number, to: number) {
    super(message);
    this.from = from;
    this.to = to;
  }
}
