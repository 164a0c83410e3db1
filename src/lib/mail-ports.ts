/** PURE. Ports that only senders of spam miss. */

/** SMTP: a machine that sends spam is on every block list within hours, and its owner loses it. */
export const mailPorts = [25, 465, 587];
