/** A remark of the service, which stands within other sentences too, as a sentence of its own. */
export function sentence(remark: string): string {
  const [first = '', ...rest] = remark;
  return `${first.toUpperCase()}${rest.join('')}${/[.!?]$/.test(remark) ? '' : '.'}`;
}
