#include <nettle/sha2.h>
#include <nettle/hmac.h>
#include <nettle/aes.h>
#include <nettle/ctr.h>
#include <nettle/ccm.h>
#include <nettle/memops.h>
#include <nettle/base64.h>
#include <nettle/siv-cmac.h>
