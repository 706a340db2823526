/** Splits a JSON array of objects into their texts as it arrives; also an array that ends with a comma, as upstream's tool writes it. */
export class ObjectSplitter {
  private parts: string[] = [];
  private depth = 0;
  private isInText = false;
  private isEscaped = false;

  /** Whether the text ended inside an object. */
  get isOpen(): boolean {
    return this.depth > 0;
  }

  /** @returns the texts of the objects that are complete. */
  add(text: string): string[] {
    const complete: string[] = [];
    let start = 0;
    for (let index = 0; index < text.length; index += 1) {
      const character = text.charAt(index);
      if (this.isInText) this.takeInText(character);
      else if (character === '"') this.isInText = this.depth > 0;
      else if (character === '{') {
        if (this.depth === 0) start = index;
        this.depth += 1;
      } else if (character === '}' && this.depth > 0) {
        this.depth -= 1;
        if (this.depth > 0) continue;
        complete.push(this.parts.join('') + text.slice(start, index + 1));
        this.parts = [];
      }
    }
    if (this.depth > 0) this.parts.push(text.slice(start));
    return complete;
  }

  private takeInText(character: string): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (character === '\\') this.isEscaped = true;
    else if (character === '"') this.isInText = false;
  }
}
