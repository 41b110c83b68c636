// How the television's number moves: pure functions, so that a test can ask them.

/**
 * What is shown `ms` after `shown` on the way to `meter`, both in minor units. It closes in evenly over about three
 * seconds and is never above the meter; a meter that fell (an award, a reset) is shown at once.
 */
export function next(shown, meter, ms) {
  if (shown === null || meter <= shown) return meter;
  const step = Math.max((meter - shown) * Math.min(1, ms / 900), ms / 400);
  return Math.min(meter, shown + step);
}

/**
 * The positions of the drums, units first: a drum turns only while all those below it pass from nine to nought, as
 * in an odometer, so that what can be read is never more than what is shown.
 */
export function drums(shown, count) {
  const found = [];
  let part = shown - Math.floor(shown); // how far the drum below has turned towards its nought
  let whole = Math.floor(shown);
  for (let drum = 0; drum < count; drum += 1) {
    const digit = whole % 10;
    found.push(digit + part);
    part = digit === 9 ? part : 0;
    whole = Math.floor(whole / 10);
  }
  return found;
}

/** The letters of an amount, largest first: digits as `null`, signs between them as they are written. */
export function letters(meter, form) {
  const digits = Math.max(String(Math.floor(meter)).length, form.decimals + 1);
  const written = [];
  for (let place = digits - 1; place >= 0; place -= 1) {
    written.push(null);
    if (form.decimals && place === form.decimals) written.push(form.point);
    else if (place > form.decimals && (place - form.decimals) % 3 === 0) written.push(form.thousands);
  }
  return written;
}
