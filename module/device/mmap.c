// SPDX-License-Identifier: GPL-2.0-only
/*
 * Map a ring: the meta-page, padded to a sub-buffer, then the sub-buffers.  The slot
 * table for observers lies at a much larger offset.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "buffer/file.h"
#include "buffer/meta_page.h"
#include "buffer/pages.h"
#include "compat/mm.h"
#include "files.h"

#define RBMAP_SLOT_TABLE_PGOFF	((unsigned long)(RBMAP_SLOT_TABLE_OFFSET >> PAGE_SHIFT))

/* Pages that are mapped until other tasks may run */
#define RBMAP_PAGES_AT_ONCE	256UL

/* Maps of a page from all processes together, which the kernel counts in 31 bits */
#define RBMAP_PAD_MAPPED_MAX	(1UL << 30)

/* The page at a page offset of the file; NULL beyond its end. */
static struct page *rbmap_file_page(const struct rbmap_gen *gen,
				    unsigned long pgoff)
{
	unsigned long subbuf_pages = gen->subbuf_size >> PAGE_SHIFT;
	unsigned long id = pgoff / subbuf_pages;
	unsigned long offset = (pgoff % subbuf_pages) << PAGE_SHIFT;

	if (pgoff >= RBMAP_SLOT_TABLE_PGOFF) {
		offset = (pgoff - RBMAP_SLOT_TABLE_PGOFF) << PAGE_SHIFT;
		return offset < gen->slot_table_size ?
		       rbmap_page_of((u8 *)gen->ring.slot_table + offset) : NULL;
	}
	if (!pgoff)
		return virt_to_page(gen->meta);
	if (!id)
		return gen->pad;
	/*
	 * The reader's sub-buffer adds one to the slots, and the meta-page adds one.
	 */
	if (id > gen->ring.nr_slots + 1UL)
		return NULL;
	return rbmap_page_of((u8 *)gen->ring.subbuf[id - 1].header +
			     offset);
}

/* Whether a map shows more than the meta-page. */
static bool rbmap_vma_shows_subbufs(const struct rbmap_gen *gen,
				    struct vm_area_struct *vma)
{
	return vma->vm_pgoff + vma_pages(vma) > gen->subbuf_size >> PAGE_SHIFT;
}

/* The number of times that a map shows the pad.  A map starts at a sub-buffer. */
static unsigned long rbmap_vma_pads(const struct rbmap_gen *gen, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff)
		return 0;
	return min_t(unsigned long, vma_pages(vma), gen->subbuf_size >> PAGE_SHIFT) - 1;
}

/* Count a map (@nr is 1), or no longer (-1).  reader_lock is held. */
static void rbmap_count_map(struct rbmap_gen *gen,
			    struct vm_area_struct *vma, int nr)
{
	gen->mapped += nr;
	gen->pad_mapped += nr * rbmap_vma_pads(gen, vma);
	if (rbmap_vma_shows_subbufs(gen, vma))
		gen->subbufs_mapped += nr;
}

/* Called by fork() if madvise() has cleared VM_DONTCOPY. */
static void rbmap_vma_open(struct vm_area_struct *vma)
{
	struct rbmap_file *file = vma->vm_private_data;

	rbmap_file_map(file);	/* model: vma_open_map */
	mutex_lock(&file->gen->reader_lock);
	rbmap_count_map(file->gen, vma, 1);	/* model: vma_open */
	mutex_unlock(&file->gen->reader_lock);
}

static void rbmap_vma_close(struct vm_area_struct *vma)
{
	struct rbmap_file *file = vma->vm_private_data;

	mutex_lock(&file->gen->reader_lock);
	rbmap_count_map(file->gen, vma, -1);	/* model: vma_close */
	mutex_unlock(&file->gen->reader_lock);
	rbmap_file_unmap(file);	/* model: vma_close_unmap */
}

/* Refuse to split: each part of a map would have to be counted on its own. */
static int rbmap_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

/* All pages are mapped at first, so this one was removed by MADV_DONTNEED. */
static vm_fault_t rbmap_vma_fault(struct vm_fault *vmf)
{
	const struct rbmap_file *file = vmf->vma->vm_private_data;
	struct page *page = rbmap_file_page(file->gen, vmf->pgoff);

	if (!page)
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct rbmap_vm_ops = {
	.open			= rbmap_vma_open,
	.close			= rbmap_vma_close,
	.RBMAP_VM_OPS_MAY_SPLIT	= rbmap_vma_may_split,
	.fault			= rbmap_vma_fault,
};

/* Map @nr pages from page @first of the map on. */
static int rbmap_insert_some(const struct rbmap_gen *gen, struct vm_area_struct *vma,
			     struct page **pages, unsigned long first, unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++)
		pages[i] = rbmap_file_page(gen, vma->vm_pgoff + first + i);
	return vm_insert_pages(vma, vma->vm_start + (first << PAGE_SHIFT), pages, &nr);
}

/* Map all pages, some at a time: there may be any number. */
static int rbmap_insert_pages(const struct rbmap_gen *gen,
			      struct vm_area_struct *vma)
{
	unsigned long at, some, nr = vma_pages(vma);
	struct page **pages;
	int err = 0;

	pages = kmalloc_array(RBMAP_PAGES_AT_ONCE, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (at = 0; !err && at < nr; at += some) {
		some = min(nr - at, RBMAP_PAGES_AT_ONCE);
		err = rbmap_insert_some(gen, vma, pages, at, some);
		cond_resched();
	}
	kfree(pages);
	return err;
}

/*
 * The number of pages that can be mapped from an offset; 0 if no map starts there.
 */
static unsigned long rbmap_pages_from(const struct rbmap_gen *gen,
				      unsigned long pgoff)
{
	unsigned long subbuf_pages = gen->subbuf_size >> PAGE_SHIFT;
	unsigned long nr_pages = (gen->ring.nr_slots + 2UL) * subbuf_pages;

	if (pgoff == RBMAP_SLOT_TABLE_PGOFF)
		return gen->slot_table_size >> PAGE_SHIFT;
	if (pgoff >= nr_pages || pgoff % subbuf_pages)
		return 0;
	return nr_pages - pgoff;
}

static int rbmap_gen_mmap(struct rbmap_gen *gen,
			  struct vm_area_struct *vma)
{
	int err;

	if (vma_pages(vma) > rbmap_pages_from(gen, vma->vm_pgoff))
		return -EINVAL;

	mutex_lock(&gen->reader_lock);
	/* fork() is not refused here, but needs MADV_DOFORK, and is counted. */
	if (gen->pad_mapped + rbmap_vma_pads(gen, vma) > RBMAP_PAD_MAPPED_MAX)
		err = -ENOMEM;
	else
		err = rbmap_insert_pages(gen, vma);
	if (!err && !gen->mapped)
		rbmap_meta_update(gen);
	if (!err)
		rbmap_count_map(gen, vma, 1);	/* model: mmap_count */
	mutex_unlock(&gen->reader_lock);
	return err;
}

/**
 * rbmap_mmap - map a ring, or a part that starts at a sub-buffer
 * @file: the file, which is bound to its ring as long as there is a map
 * @vma: a read-only, shared map
 *
 * Too many maps of a ring's beginning fail with -ENOMEM.
 *
 * Return: 0; -EPERM if the map is writable, executable or private; -EINVAL if it
 * does not start at a sub-buffer or at the slot table, or ends beyond the end;
 * -ENOMEM.
 */
int rbmap_mmap(struct rbmap_file *file, struct vm_area_struct *vma)
{
	struct rbmap_gen *gen;
	int err;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC) ||
	    !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;
	rbmap_vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP |
			   VM_MIXEDMAP, VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_private_data = file;
	vma->vm_ops = &rbmap_vm_ops;

	gen = rbmap_file_bind(file, true);
	err = rbmap_gen_mmap(gen, vma);
	if (err)	/* model: mmap_failed */
		rbmap_file_map_failed(file);
	rbmap_gen_put(gen);
	return err;
}
