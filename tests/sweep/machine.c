// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <ucontext.h>

#include "machine.h"

#define TRAP_FLAG	0x100
#define NOBODY		~0u
/* More boundaries than any act has: an act that reaches it does not end. */
#define MAX_BOUNDARIES	20000

/* The order in which machine_resume() and IRET pop them. */
struct regs {
	u64	r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx,
		rbx, rax, rip, cs, flags, rsp, ss;
};

/* entry.S */
void machine_interrupt(void);
void machine_called(void);
void machine_step(void);
void machine_resume(const struct regs *regs) __attribute__((noreturn));
void machine_on_stack(void *stack, void (*function)(void))
	__attribute__((noreturn));
u64 machine_return;
u64 machine_act(void);

/* A boundary where an act waits while others run. */
struct held {
	struct regs	regs;
	u32		level;		/* nesting level of the act that waits */
	u64		boundary;
	u32		next;		/* act to run there */
	const struct act *act;		/* act that runs there */
	u8		memory[32 << 10];
};

static struct {
	const struct sweep	*sweep;
	struct counts		*counts;
	const u8		*stack;		/* start of the outer act's stack */
	u32			level;		/* nesting level of the running act */
	u32			stepped;	/* level of the act that is stepped */
	bool			entered;	/* that act has entered the ring */
	enum steps		steps;		/* code to step after the last act */
	u64			boundary;	/* number of the next boundary */
	u32			nr_held;
	struct held		held[MACHINE_HELD];
} machine;

u8 *machine_hits;

static u8 handler_stack[64 << 10] __attribute__((aligned(64)));

static bool in_ring(u64 address)
{
	return address >= (u64)__start_ring_text &&
	       address < (u64)__stop_ring_text;
}

/* The saved state: memory that a run changes, and the stack of the outer act. */
static u8 *copy_at, *copy_end;

static void save(void *memory, size_t size)
{
	rig_check(size <= (size_t)(copy_end - copy_at));
	memcpy(copy_at, memory, size);
	copy_at += size;
}

static void restore(void *memory, size_t size)
{
	memcpy(memory, copy_at, size);
	copy_at += size;
}

static void each_state(struct held *held, void (*each)(void *, size_t))
{
	u8 *stack = (u8 *)held->regs.rsp;

	copy_at = held->memory;
	copy_end = held->memory + sizeof(held->memory);
	each(stack, machine.stack - stack);
	machine.sweep->state(each);
}

/* Run the next act at the last held boundary, or continue to the next boundary. */
static void __attribute__((noreturn)) go_on(void)
{
	struct held *held = &machine.held[machine.nr_held - 1];
	struct regs regs = held->regs;

	machine.steps = STEP_NONE;
	held->act = machine.sweep->next(machine.nr_held - 1, held->boundary,
					held->next++, &machine.steps);
	machine.entered = true;
	if (!held->act) {
		machine.nr_held--;
		machine.boundary = held->boundary + 1;
		machine.level = held->level;
		machine.stepped = held->level;
		machine_resume(&regs);
	}
	rig_check(machine.steps == STEP_NONE || machine.nr_held < MACHINE_HELD);
	machine.level = held->level + 1;
	machine.stepped = machine.steps == STEP_INSIDE ? machine.level : NOBODY;
	machine.boundary = 0;

	regs.rsp -= sizeof(u64);
	*(u64 *)regs.rsp = regs.rip;
	regs.rip = (u64)machine_interrupt;
	regs.flags &= ~TRAP_FLAG;
	machine_resume(&regs);
}

/* Called by machine_interrupt(). Return: flags to set in the interrupted context. */
u64 machine_act(void)
{
	machine.held[machine.nr_held - 1].act->run();
	machine.level--;
	machine.stepped = NOBODY;
	if (machine.steps != STEP_AFTER)
		return 0;
	machine.stepped = machine.level;
	machine.entered = true;
	return TRAP_FLAG;
}

/* Atomic: all processes of the sweep share the map. */
static void add_hit(u64 address, u8 hit)
{
	__atomic_fetch_or(&machine_hits[address - (u64)__start_ring_text], hit,
			  __ATOMIC_RELAXED);
}

static void hold(const greg_t *regs)
{
	struct held *held = &machine.held[machine.nr_held++];

	if (held == machine.held) {
		add_hit(regs[REG_RIP], HIT_OUTER);
		machine.counts->boundaries++;
	} else if (held > machine.held + 1) {
		add_hit(regs[REG_RIP], HIT_THIRD);
		machine.counts->thirds++;
	} else if (machine.level) {
		add_hit(regs[REG_RIP], HIT_INSIDE);
		machine.counts->inside++;
	} else {
		add_hit(regs[REG_RIP], HIT_AFTER);
		machine.counts->after++;
	}
	held->regs = (struct regs) {
		.r15 = regs[REG_R15], .r14 = regs[REG_R14],
		.r13 = regs[REG_R13], .r12 = regs[REG_R12],
		.r11 = regs[REG_R11], .r10 = regs[REG_R10],
		.r9 = regs[REG_R9], .r8 = regs[REG_R8],
		.rbp = regs[REG_RBP], .rdi = regs[REG_RDI],
		.rsi = regs[REG_RSI], .rdx = regs[REG_RDX],
		.rcx = regs[REG_RCX], .rbx = regs[REG_RBX],
		.rax = regs[REG_RAX], .rip = regs[REG_RIP],
		.cs = regs[REG_CSGSFS] & 0xffff,
		.flags = regs[REG_EFL], .rsp = regs[REG_RSP],
		.ss = (u64)regs[REG_CSGSFS] >> 48,
	};
	held->level = machine.level;
	held->boundary = machine.boundary;
	held->next = 0;
	held->act = NULL;
	if (held->boundary == MAX_BOUNDARIES)
		rig_fail("the act does not end: it has too many boundaries");
	each_state(held, save);
}

static void trap(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	if (in_ring(regs[REG_RIP])) {
		hold(regs);
		go_on();
	}
	if (machine.entered) {
		u64 *stack = (u64 *)regs[REG_RSP];

		/* The ring calls a function outside it, or returns. */
		regs[REG_EFL] &= ~TRAP_FLAG;
		if (in_ring(*stack)) {
			machine_return = *stack;
			*stack = (u64)machine_called;
		}
	}
}

static void around_ring(bool enter)
{
	if (!enter || machine.level != machine.stepped)
		return;
	machine.entered = false;
	machine_step();
}

static void rewind_last(void)
{
	each_state(&machine.held[machine.nr_held - 1], restore);
	go_on();
}

static noinline void run(void)
{
	machine.stack = __builtin_frame_address(0);
	machine.sweep->outer->run();
	/* Each run ends here. The checks are not stepped through. */
	machine.level = 0;
	machine.stepped = NOBODY;
	machine.sweep->check();
	machine.counts->runs++;
	if (machine.nr_held)
		machine_on_stack(handler_stack + sizeof(handler_stack),
				 rewind_last);
}

void machine_sweep(const struct sweep *sweep, struct counts *counts)
{
	machine.sweep = sweep;
	machine.counts = counts;
	machine.boundary = 0;
	machine.level = 0;
	machine.stepped = 0;
	machine.nr_held = 0;
	rig.around = around_ring;
	run();
	rig.around = NULL;
	machine.sweep = NULL;
}

void machine_print(void (*print_where)(unsigned long address))
{
	u32 i;

	if (!machine.sweep) {
		printf("# before or after all acts\n");
		return;
	}
	for (i = 0; i < machine.nr_held; i++) {
		const struct held *held = &machine.held[i];

		printf("# %s is interrupted%s before\n",
		       held->level ? machine.held[i - 1].act->name :
				     machine.sweep->outer->name,
		       i && !held->level ? " again" : "");
		print_where(held->regs.rip);
		if (held->act)
			printf("#   by %s\n", held->act->name);
	}
}

static volatile sig_atomic_t traps;

static void count_trap(int signal)
{
	(void)signal;
	traps++;
}

bool machine_init(void)
{
	const stack_t stack = {
		.ss_sp = handler_stack,
		.ss_size = sizeof(handler_stack),
	};
	struct sigaction action = {
		.sa_handler = count_trap,
		.sa_flags = SA_ONSTACK | SA_NODEFER,
	};

	if (sigaltstack(&stack, NULL) || sigaction(SIGTRAP, &action, NULL))
		return false;
	machine_step();
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() &
				       ~(u64)TRAP_FLAG);
	barrier();
	action.sa_sigaction = trap;
	action.sa_flags |= SA_SIGINFO;
	return traps > 0 && !sigaction(SIGTRAP, &action, NULL);
}
