// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "crash_guard.h"

#define NOBODY	65534

#if defined(__x86_64__)
#define ARCH	AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH	AUDIT_ARCH_AARCH64
#endif

#define LOAD(member)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(value)	BPF_STMT(BPF_RET | BPF_K, value)
#define FAIL(error)	RETURN(SECCOMP_RET_ERRNO | (error))
#define ALLOW(call)							\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1),		\
	RETURN(SECCOMP_RET_ALLOW)
/* The low half of an argument. Bits above it have no meaning in those that are tested. */
#define LOAD_ARGUMENT(nr)						\
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[nr]))
/* Allow the call without such bits in an argument. */
#define ALLOW_WITHOUT(call, nr, bits)					\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4),		\
	LOAD_ARGUMENT(nr),						\
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1),		\
	FAIL(EPERM),							\
	RETURN(SECCOMP_RET_ALLOW)
/* Allow the call with such bits in an argument. */
#define ALLOW_WITH(call, nr, bits)					\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4),		\
	LOAD_ARGUMENT(nr),						\
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0),		\
	FAIL(EPERM),							\
	RETURN(SECCOMP_RET_ALLOW)
/* Allow the call with one of two values of an argument. */
#define ALLOW_VALUES(call, nr, one, other)				\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 5),		\
	LOAD_ARGUMENT(nr),						\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one, 2, 0),			\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 1, 0),		\
	FAIL(ENOTTY),							\
	RETURN(SECCOMP_RET_ALLOW)

#if defined(ARCH) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static const struct sock_filter calls[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	/* files that are open */
	ALLOW(read), ALLOW(readv), ALLOW(pread64), ALLOW(write), ALLOW(writev), ALLOW(pwrite64),
	ALLOW(lseek), ALLOW(fstat), ALLOW(close), ALLOW(fcntl), ALLOW(dup),
	ALLOW_WITH(newfstatat, 3, AT_EMPTY_PATH),
	ALLOW_VALUES(ioctl, 1, TCGETS, TIOCGWINSZ),
	/* memory, never with code */
	ALLOW(brk), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise),
	ALLOW_WITHOUT(mmap, 2, PROT_EXEC), ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
	/* threads: clone3() has its flags in memory, and glibc then uses clone() */
	ALLOW_WITH(clone, 0, CLONE_THREAD), ALLOW(futex), ALLOW(set_robust_list), ALLOW(rseq),
	ALLOW(sched_yield), ALLOW(sched_getaffinity), ALLOW(gettid), ALLOW(getpid),
	/* signals of its own, and the end */
	ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack),
	ALLOW(tgkill), ALLOW(exit), ALLOW(exit_group), ALLOW(restart_syscall),
	/* the time, and waiting */
	ALLOW(clock_gettime), ALLOW(clock_nanosleep), ALLOW(ppoll), ALLOW(getrandom),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
	FAIL(ENOSYS),
	FAIL(EPERM),
};

static void limit_calls(void)
{
	const struct sock_fprog program = {
		.len = sizeof(calls) / sizeof(*calls), .filter = (struct sock_filter *)calls,
	};

	/* A kernel without seccomp leaves the rest of the sandbox. */
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

/* A sanitizer opens files of its own, and other architectures have other numbers. */
static void limit_calls(void)
{
}

#endif

/* Root becomes nobody. A user namespace can lack that user; there are no capabilities then. */
static void drop_user(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (!geteuid()) {
		setgroups(0, NULL);
		syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY);
		syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
	}
	syscall(SYS_capset, &head, none);
}

void sandbox_enter(void)
{
	/* The library reads the rules of the local time once. */
	tzset();
	drop_user();
	/* Another user has no such signal until it is set again. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	limit_calls();
}
