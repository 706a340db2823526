/** Splits CSV (RFC 4180) into rows as it arrives. Quoted cells may hold commas, quotes and line breaks. */
export class CsvSplitter {
  private cell = '';
  private row: string[] = [];
  private isQuoted = false;
  /** A quote inside a quoted cell: it ends the cell unless another one follows. */
  private sawQuote = false;

  /** @returns the rows that are complete. */
  add(text: string): string[][] {
    const rows: string[][] = [];
    for (let index = 0; index < text.length; index += 1) {
      if (this.isQuoted && !this.sawQuote) index = this.takeQuoted(text, index);
      else this.takePlain(text.charAt(index), rows);
    }
    return rows;
  }

  /** @returns the last row, when the text did not end with a line break. */
  end(): string[] | undefined {
    return this.cell === '' && this.row.length === 0 ? undefined : this.endRow();
  }

  private takeQuoted(text: string, index: number): number {
    const quote = text.indexOf('"', index);
    const end = quote === -1 ? text.length : quote;
    this.cell += text.slice(index, end);
    this.sawQuote = quote !== -1;
    return end;
  }

  private takePlain(character: string, rows: string[][]): void {
    if (character === '"' && this.sawQuote) {
      this.cell += '"';
      this.sawQuote = false;
      return;
    }
    if (this.sawQuote) [this.isQuoted, this.sawQuote] = [false, false];
    if (character === '"' && this.cell === '') this.isQuoted = true;
    else if (character === ',') this.endCell();
    else if (character === '\n') rows.push(this.endRow());
    else if (character !== '\r') this.cell += character;
  }

  private endCell(): void {
    this.row.push(this.cell);
    this.cell = '';
  }

  private endRow(): string[] {
    this.endCell();
    const { row } = this;
    [this.row, this.isQuoted, this.sawQuote] = [[], false, false];
    return row;
  }
}
