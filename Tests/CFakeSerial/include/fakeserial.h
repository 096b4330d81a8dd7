#ifndef FAKESERIAL_H
#define FAKESERIAL_H

/* What a test may ask of the interposer (fakeserial.c). Ports are named as under /dev, such as "ttyACM3". */

/* Sets the one fake root of this process; later calls change nothing. Returns the root in force. */
const char *fakeserial_root(const char *path);

/* Lets every open of the port fail with this errno; 0 lets them through again. */
void fakeserial_fail_open(const char *name, int error);

/* The port is gone: what was known about it no longer holds for whoever gets the same pseudo terminal. */
void fakeserial_forget(const char *name);

/* The modem lines, TIOCM_DTR and TIOCM_RTS. */
int fakeserial_lines(const char *name);

/* How often the port was opened since it was last forgotten. */
int fakeserial_opens(const char *name);

/* How many ioctl calls left DTR and RTS different or low, be it for a moment: each of them resets an ESP32. */
int fakeserial_pulses(const char *name);

#endif
